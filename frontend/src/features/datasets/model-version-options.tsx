import { useQuery } from '@tanstack/react-query'

import { modelsQuery } from '../../shared/api/queries'
import type { Dataset, Model } from '../../shared/api/types'
import { versionChoices } from './version-choices'

/** The trained models of a dataset's project and task, as `VersionOptions`. */
export function ModelVersionOptions({ dataset }: { dataset: Dataset }) {
  const models = (useQuery(modelsQuery).data ?? []).filter(({ project, task }) => project === dataset.project && task === dataset.task)
  return <VersionOptions of={models} />
}

/** `versionChoices` as options. */
export function VersionOptions({ of: models }: { of: readonly Model[] }) {
  return versionChoices(models).map(({ value, words }) => (
    <option key={value} value={value}>
      {words}
    </option>
  ))
}
