import { plural } from '../../shared/format/numbers'
import type { Reading } from '../../shared/lists/pages'
import type { Draft } from './draft'

/** What works with a dataset's classes as they are, and not with others; the first ones of each kind, and whether there are more. */
export interface Dependents {
  pipelines: Dependent
  models: Dependent
}

type Dependent = Pick<Reading<{ name: string }>, 'rows' | 'more'>

/** A class that comes or goes makes others of them; one in the archive is still among them. */
export function areOthers(before: Draft, after: Draft): boolean {
  const [old, wanted] = [before, after].map(({ classes }) => classes.map(({ name }) => name).sort())
  return JSON.stringify(old) !== JSON.stringify(wanted)
}

/** What stops working when a dataset's classes become others, in words; null when nothing does. */
export function stoppedWords({ pipelines, models }: Dependents): string | null {
  const [halted, outdated] = [pipelines.rows?.length ?? 0, models.rows?.length ?? 0]
  if (halted + outdated === 0) return null
  const parts = [
    ...(halted > 0 ? [`${counted(pipelines, 'pipeline stops', 'pipelines stop')} (${list(pipelines)})`] : []),
    ...(outdated > 0 ? [`${counted(models, 'model fits', 'models fit')} this dataset no more (${list(models)})`] : []),
  ]
  return `A model keeps the classes it was created with. When you save this, ${parts.join(' and ')}. To go on, create a new model with the new classes${halted > 0 ? ', and a pipeline with it' : ''}.`
}

function counted({ rows = [], more }: Dependent, one: string, several: string): string {
  return `${more ? 'more than ' : ''}${plural(rows.length, one, several)}`
}

const mostNamed = 10

function list({ rows = [], more }: Dependent): string {
  const names = rows.slice(0, mostNamed).map(({ name }) => name)
  return `${names.join(', ')}${more || rows.length > mostNamed ? ' and others' : ''}`
}
