import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../api/client'
import { modelsList } from '../api/lists'
import { useDataset } from '../api/queries'
import type { Dataset, TaskName } from '../api/types'
import { given } from '../format/amount'
import { useList } from '../lists/pages'
import { SelectField, TextField } from '../ui/fields'
import { RunDialog, type RunSettings } from './run-dialog'

/** Trains on a dataset: a model that learns its classes, or one that is created with the training. */
export default function TrainOnDialog({ dataset: name, onClose }: { dataset: string; onClose: () => void }) {
  const dataset = useDataset(name)
  const models = useList(modelsList(null, { dataset: name }))
  if (!dataset || (models.rows === undefined && models.error === null)) return null
  return <TrainOn dataset={dataset} fitting={models.rows?.map((model) => model.name) ?? []} onClose={onClose} />
}

function TrainOn({ dataset, fitting, onClose }: { dataset: Dataset; fitting: readonly string[]; onClose: () => void }) {
  const client = useQueryClient()
  // '' for a new one.
  const [chosen, setChosen] = useState(fitting[0] ?? '')
  const [typed, setTyped] = useState(dataset.name)
  // One that was created by a try before, whose training was refused.
  const [created, setCreated] = useState<readonly string[]>([])
  const known = [...new Set([...fitting, ...created])]
  const isNew = !known.includes(chosen)
  const create = async () => {
    const body = { name: typed.trim(), task: dataset.task as TaskName, classes: dataset.classes, description: '', project: dataset.project }
    const { name } = await take(api.POST('/models', { body }))
    setCreated([name])
    setChosen(name)
    await client.invalidateQueries({ queryKey: ['models'] })
    return name
  }
  const start = async ({ version, architecture, seed, config, needs }: RunSettings) => {
    const model = isNew ? await create() : chosen
    return take(api.POST('/runs', { body: { model, dataset: dataset.name, version, seed, ...given({ architecture: architecture || null, config, needs }) } }))
  }
  return (
    <RunDialog
      title={`Train a model on ${dataset.name}`}
      model={isNew ? typed : chosen}
      task={dataset.task}
      first={{ dataset: dataset.name, version: 'head', architecture: '', seed: 0, needs: null }}
      start={start}
      onClose={onClose}
    >
      {known.length > 0 && (
        <SelectField name="model" label="Model" value={chosen} onChange={setChosen} options={known}>
          <option value="">a new model</option>
        </SelectField>
      )}
      {isNew && <TextField name="name" label="Name of the new model" hint="Small letters, digits, and . _ - between them. It learns the classes of this dataset." required maxLength={100} value={typed} onChange={setTyped} />}
    </RunDialog>
  )
}
