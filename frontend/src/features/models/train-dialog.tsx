import { useQuery } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { datasetsList } from '../../shared/api/lists'
import { datasetQuery } from '../../shared/api/queries'
import type { Dataset, Model, ModelVersion } from '../../shared/api/types'
import { refusalFor } from '../../shared/classes/learns-the-same'
import { useList } from '../../shared/lists/pages'
import { given } from '../../shared/format/amount'
import { RunDialog } from '../../shared/training/run-dialog'

interface TrainDialogProps {
  model: Model
  /** The newest version, where there is one: as it was trained is what is proposed. */
  newest: Pick<ModelVersion, 'architecture' | 'dataset'> | undefined
  onClose: () => void
}

/** Trains a model from scratch; what comes of it is a version once the training is proved. */
export function TrainDialog({ model, newest, onClose }: TrainDialogProps) {
  const newestData = useQuery({ ...datasetQuery(newest?.dataset ?? ''), enabled: newest?.dataset != null })
  const datasets = useList(datasetsList(null))
  if (newestData.isLoading || (datasets.rows === undefined && datasets.error === null)) return null
  const fits = (dataset: Dataset) => dataset.trainable && refusalFor(model, dataset) === null
  const fitting = datasets.more === null ? (datasets.rows?.filter(fits) ?? []) : []
  const only = fitting.length === 1 ? (fitting[0]?.name ?? '') : ''
  return (
    <RunDialog
      title={`Train ${model.name}`}
      model={model.name}
      task={model.task}
      first={{ dataset: newestData.data && fits(newestData.data) ? newestData.data.name : only, version: 'head', architecture: newest?.architecture ?? '', seed: 0, needs: null }}
      refusal={(dataset) => refusalFor(model, dataset)}
      start={({ dataset, version, architecture: chosen, seed, config, needs }) =>
        take(api.POST('/runs', { body: { model: model.name, dataset, version, seed, ...given({ architecture: chosen || null, config, needs }) } }))
      }
      onClose={onClose}
    />
  )
}
