import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { Dataset, NewMap } from '../../../shared/api/types'
import { SelectField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { ModelVersionOptions } from '../model-version-options'
import { versionsQuery } from '../queries'

interface NewMapDialogProps {
  dataset: Dataset
  onClose: () => void
  onMade: (map: number) => void
}

const methods = { 'umap-like': 'UMAP-like: keeps groups together', pca: 'PCA: fast, keeps distances' } as const
type Method = keyof typeof methods

/** What a map is made of: a version, whose eyes, and how it is laid out. */
export function NewMapDialog({ dataset, onClose, onMade }: NewMapDialogProps) {
  const versions = useQuery(versionsQuery(dataset.name)).data ?? []
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
        <ModelVersionOptions dataset={dataset} />
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
