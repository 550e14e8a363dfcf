import { modelsList } from '../../shared/api/lists'
import type { Dataset, Model } from '../../shared/api/types'
import { PickField, type PickFieldProps } from '../../shared/picking/pick-field'
import { versionChoices } from './version-choices'

type ModelVersionFieldProps = Omit<PickFieldProps<Model>, 'source' | 'choices'> & { dataset: Dataset }

/** Chooses a version of a model that answers what the dataset asks, by alias or number. */
export function ModelVersionField({ dataset, ...rest }: ModelVersionFieldProps) {
  return <PickField {...rest} source={(q) => modelsList(null, { q, dataset: dataset.name })} choices={versionChoices} />
}
