import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import { modelsQuery } from '../../../shared/api/queries'
import type { Dataset, NewMap } from '../../../shared/api/types'
import { SelectField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { versionsQuery } from '../queries'

interface NewMapDialogProps {
  dataset: Dataset
  onClose: () => void
  onMade: (map: number) => void
}

const methods = { 'umap-like': 'UMAP-like: keeps groups together', pca: 'PCA: fast, keeps distances' } as const
type Method = keyof typeof methods

const mostVersions = 20

/** Numbers of versions, the newest first. */
function newest(latest: number): number[] {
  return Array.from({ length: Math.min(latest, mostVersions) }, (_, index) => latest - index)
}

/** What a map is made of: a version, whose eyes, and how it is laid out. */
export function NewMapDialog({ dataset, onClose, onMade }: NewMapDialogProps) {
  const versions = useQuery(versionsQuery(dataset.name)).data ?? []
  const models = (useQuery(modelsQuery).data ?? []).filter(({ task, latest }) => task === dataset.task && latest !== null)
  const [version, setVersion] = useState('head')
  const [model, setModel] = useState('')
  const [method, setMethod] = useState<Method>('umap-like')
  const make = useMutation({
    mutationFn: () => {
      const body: NewMap = { version, model: model === '' ? null : model, method, seed: 0 }
      return take(api.POST('/datasets/{reference}/maps', { params: { path: { reference: dataset.name } }, body }))
    },
    // The page may stand at the dataset's number or at an old name of it.
    meta: { renews: [['datasets']] },
    onSuccess: (made) => {
      onMade(made.id)
    },
  })
  return (
    <FormDialog title="New map" onClose={onClose} sending={make} action="Create the map" doing="Starting…">
      <SelectField name="version" label="Version" value={version} onChange={setVersion}>
        <option value="head">the newest{dataset.head !== null && `, v${dataset.head}`}</option>
        {versions.map((each) => (
          <option key={each.version} value={each.version}>
            v{each.version}
            {each.message && `: ${each.message}`}
          </option>
        ))}
      </SelectField>
      <SelectField name="model" label="Features from" hint="A model arranges samples by what it was trained on; without one, by how the images look." value={model} onChange={setModel}>
        <option value="">the images, without a model</option>
        {models.flatMap(({ name, latest, aliases }) => [
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
        ])}
      </SelectField>
      <SelectField name="method" label="Layout" value={method} onChange={setMethod}>
        {Object.entries(methods).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </SelectField>
    </FormDialog>
  )
}
