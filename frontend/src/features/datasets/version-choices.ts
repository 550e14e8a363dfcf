import type { Model } from '../../shared/api/types'

const mostVersions = 20

/** Numbers of versions, the newest first. */
function newest(latest: number): number[] {
  return Array.from({ length: Math.min(latest, mostVersions) }, (_, index) => latest - index)
}

/** The versions of these models by alias and by number, as `name@production` and `name@3`; none of a model without one. */
export function versionChoices(models: readonly Model[]): { value: string; words: string }[] {
  return models.flatMap(({ name, latest, aliases }) => [
    ...aliases.map((alias) => ({ value: `${name}@${alias.name}`, words: `${name}, ${alias.name} (v${alias.version})` })),
    ...newest(latest ?? 0).map((number) => ({ value: `${name}@${number}`, words: `${name} v${number}` })),
  ])
}
