import { useQuery } from '@tanstack/react-query'

import { modelsQuery } from '../../shared/api/queries'
import type { Dataset, Model } from '../../shared/api/types'

const mostVersions = 20

/** Numbers of versions, the newest first. */
function newest(latest: number): number[] {
  return Array.from({ length: Math.min(latest, mostVersions) }, (_, index) => latest - index)
}

/** The trained models of a dataset's task, by alias and by number, as `name@production` and `name@3`. */
export function ModelVersionOptions({ task }: Pick<Dataset, 'task'>) {
  const models = (useQuery(modelsQuery).data ?? []).filter((model) => model.task === task)
  return <VersionOptions of={models} />
}

/** The versions of these models in the same way; none of a model without one. */
export function VersionOptions({ of: models }: { of: readonly Model[] }) {
  return models.flatMap(({ name, latest, aliases }) => [
    ...aliases.map((alias) => (
      <option key={`${name}@${alias.name}`} value={`${name}@${alias.name}`}>
        {name}, {alias.name} (v{alias.version})
      </option>
    )),
    ...newest(latest ?? 0).map((number) => (
      <option key={`${name}@${number}`} value={`${name}@${number}`}>
        {name} v{number}
      </option>
    )),
  ])
}
