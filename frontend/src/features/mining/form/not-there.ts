import type { Dataset, Model, Slice } from '../../../shared/api/types'
import { learnsTheSame } from '../../../shared/classes/learns-the-same'
import type { Faults } from '../../../shared/ui/form'
import { type MiningDraft, noModel } from './draft'

/** Models with a version that learned what the dataset's labels answer; all with a version while there is no dataset. */
export function modelsFor(dataset: Dataset | undefined, models: readonly Model[] | undefined): Model[] | undefined {
  return models?.filter((model) => model.latest !== null && (!dataset || learnsTheSame(model, dataset)))
}

/** What there is; undefined while it is being read. */
interface There {
  datasets: readonly Dataset[] | undefined
  models: readonly Model[] | undefined
  slices: readonly Pick<Slice, 'name'>[] | undefined
}

/** What a link began the form with and can't be chosen, by the field. */
export function notThere(draft: MiningDraft, { datasets, models, slices }: There): Faults {
  const dataset = datasets?.find(({ name }) => name === draft.dataset)
  const fitting = modelsFor(dataset, models)
  const model = fitting?.find(({ name }) => name === draft.model)
  const version = draft.modelVersion
  const hasVersion = model && (model.aliases.some(({ name }) => name === version) || (/^[1-9]\d*$/.test(version) && Number(version) <= (model.latest ?? 0)))
  return {
    ...(datasets && draft.dataset !== '' && !dataset && { dataset: `“${draft.dataset}” is not among the datasets: choose another.` }),
    ...(slices && draft.slice !== '' && slices.every(({ name }) => name !== draft.slice) && { filter: `“${draft.slice}” is not among the slices of ${draft.dataset}: choose another part.` }),
    ...(datasets && fitting && !['', noModel].includes(draft.model) && !model && { model: `“${draft.model}” is not among the trained models${dataset ? ' with these classes' : ''}: choose another.` }),
    ...(model && version !== '' && !hasVersion && { modelVersion: `${model.name} has no version “${version}”: choose another.` }),
  }
}
