import type { Dataset, Model, Pipeline } from '../../shared/api/types'
import { plural } from '../../shared/format/numbers'
import type { Draft } from './draft'

/** What works with a dataset's classes as they are, and not with others. */
export interface Dependents {
  pipelines: Pick<Pipeline, 'name' | 'dataset'>[]
  models: Pick<Model, 'name' | 'task' | 'classes'>[]
}

/** A class that comes or goes makes others of them; one in the archive is still among them. */
export function areOthers(before: Draft, after: Draft): boolean {
  const [old, wanted] = [before, after].map(({ classes }) => classes.map(({ name }) => name).sort())
  return JSON.stringify(old) !== JSON.stringify(wanted)
}

/** What stops working when a dataset's classes become others, in words; null when nothing does. */
export function stoppedWords({ name, task, classes }: Pick<Dataset, 'name' | 'task' | 'classes'>, { pipelines, models }: Dependents): string | null {
  const halted = pipelines.filter(({ dataset }) => dataset === name)
  const outdated = models.filter((model) => model.task === task && JSON.stringify(model.classes) === JSON.stringify(classes))
  if (halted.length + outdated.length === 0) return null
  const parts = [
    ...(halted.length > 0 ? [`${plural(halted.length, 'pipeline stops', 'pipelines stop')} (${list(halted)})`] : []),
    ...(outdated.length > 0 ? [`${plural(outdated.length, 'model fits', 'models fit')} this dataset no more (${list(outdated)})`] : []),
  ]
  return `A model keeps the classes it was created with. When you save this, ${parts.join(' and ')}. To go on, create a new model with the new classes${halted.length > 0 ? ', and a pipeline with it' : ''}.`
}

function list(named: readonly { name: string }[]): string {
  return named.map(({ name }) => name).join(', ')
}
