import { useQuery } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { datasetsQuery } from '../../shared/api/queries'
import type { Model, ModelVersion } from '../../shared/api/types'
import { refusalFor } from '../../shared/classes/learns-the-same'
import { given } from '../../shared/format/amount'
import { DatasetOptions } from '../../shared/training/dataset-options'
import { RunDialog } from '../../shared/training/run-dialog'
import { FirstOption } from '../../shared/ui/first-option'

interface TrainDialogProps {
  model: Model
  /** The newest version, where there is one: as it was trained is what is proposed. */
  newest: Pick<ModelVersion, 'architecture' | 'dataset'> | undefined
  onClose: () => void
}

/** Trains a model from scratch; what comes of it is a version once the training is proved. */
export function TrainDialog({ model, newest, onClose }: TrainDialogProps) {
  const datasets = useQuery(datasetsQuery)
  if (datasets.isPending) return null
  const fitting = datasets.data?.filter((dataset) => dataset.trainable && refusalFor(model, dataset) === null).map(({ name }) => name) ?? []
  const only = fitting.length === 1 ? (fitting[0] ?? '') : ''
  return (
    <RunDialog
      title={`Train ${model.name}`}
      model={model.name}
      task={model.task}
      first={{ dataset: fitting.find((name) => name === newest?.dataset) ?? only, version: 'head', architecture: newest?.architecture ?? '', seed: 0, needs: null }}
      datasets={
        <>
          <FirstOption noun="dataset with samples for this model" among={fitting} />
          <DatasetOptions datasets={datasets.data} refusal={(dataset) => refusalFor(model, dataset)} />
        </>
      }
      configLabel="Config"
      configHint={'JSON, such as {"recipe": {"steps": 500}}; leave empty for the architecture’s defaults.'}
      start={({ dataset, version, architecture: chosen, seed, config, needs }) =>
        take(api.POST('/runs', { body: { model: model.name, dataset, version, seed, ...given({ architecture: chosen || null, config, needs }) } }))
      }
      onClose={onClose}
    />
  )
}
