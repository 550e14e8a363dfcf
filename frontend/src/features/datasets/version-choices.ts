import type { Model } from '../../shared/api/types'
import type { Choice } from '../../shared/picking/choices'

const mostVersions = 20

/** Numbers of versions, the newest first. */
function newest(latest: number): number[] {
  return Array.from({ length: Math.min(latest, mostVersions) }, (_, index) => latest - index)
}

/** The versions of a model by alias and by number, as `name@production` and `name@3`; none of one without any. */
export function versionChoices({ name, latest, aliases }: Model): Choice<Model>[] {
  return [
    ...aliases.map((alias) => ({ value: `${name}@${alias.name}`, words: `${name}, ${alias.name} (v${alias.version})` })),
    ...newest(latest ?? 0).map((number) => ({ value: `${name}@${number}`, words: `${name} v${number}` })),
  ]
}
