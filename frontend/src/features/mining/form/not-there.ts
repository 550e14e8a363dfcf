import type { Dataset, Model } from '../../../shared/api/types'
import { learnsTheSame } from '../../../shared/classes/learns-the-same'
import type { Faults } from '../../../shared/ui/form'
import { type MiningDraft, noModel } from './draft'

/** What was read of a name: null where nothing has it, undefined while it is being read. */
export interface There {
  dataset: Dataset | null | undefined
  model: Model | null | undefined
  slice: { name: string } | null | undefined
}

/** Whether a model with a version learned what the dataset's labels answer; any with a version while there is no dataset. */
export function modelFits(dataset: Dataset | null | undefined, model: Model): boolean {
  return model.latest !== null && (!dataset || learnsTheSame(model, dataset))
}

/** What a link began the form with and can't be chosen, by the field. */
export function notThere(draft: MiningDraft, { dataset, model, slice }: There): Faults {
  const isUnfit = model === null || (model !== undefined && !modelFits(dataset, model))
  const version = draft.modelVersion
  const hasVersion = model && (model.aliases.some(({ name }) => name === version) || (/^[1-9]\d*$/.test(version) && Number(version) <= (model.latest ?? 0)))
  return {
    ...(draft.dataset !== '' && dataset === null && { dataset: `“${draft.dataset}” is not among the datasets: choose another.` }),
    ...(draft.slice !== '' && slice === null && { filter: `“${draft.slice}” is not among the slices of ${draft.dataset}: choose another part.` }),
    ...(!['', noModel].includes(draft.model) && isUnfit && { model: `“${draft.model}” is not among the trained models${dataset ? ' with these classes' : ''}: choose another.` }),
    ...(model && !isUnfit && version !== '' && !hasVersion && { modelVersion: `${model.name} has no version “${version}”: choose another.` }),
  }
}
