import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { Dataset, NewMap } from '../../../shared/api/types'
import { SelectField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { versionsList } from '../../../shared/api/lists'
import { PickField } from '../../../shared/picking/pick-field'
import { ModelVersionField } from '../model-version-field'
import { versionChoice } from '../version-words'

interface NewMapDialogProps {
  dataset: Dataset
  onClose: () => void
  onMade: (map: number) => void
}

const methods = { 'umap-like': 'UMAP-like: keeps groups together', pca: 'PCA: fast, keeps distances' } as const
/** No version of a model is called so: theirs have an @. */
const pixels = 'pixels'
type Method = keyof typeof methods

/** What a map is made of: a version, whose eyes, and how it is laid out. */
export function NewMapDialog({ dataset, onClose, onMade }: NewMapDialogProps) {
  const [version, setVersion] = useState('head')
  const [model, setModel] = useState('')
  const [method, setMethod] = useState<Method>('umap-like')
  const make = useMutation({
    mutationFn: () => {
      const named = model !== '' && model !== pixels
      const body: NewMap = { version, model: named ? model : null, features: named ? null : model === '' ? 'backbone' : pixels, method, seed: 0 }
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
      <PickField
        name="version"
        label="Version"
        first={[{ value: 'head', words: dataset.head === null ? 'the newest' : `the newest, v${dataset.head}` }]}
        source={(q) => versionsList(dataset.name, { q })}
        choices={versionChoice}
        value={version}
        onChange={setVersion}
      />
      <ModelVersionField
        dataset={dataset}
        name="model"
        label="Features from"
        hint="A model arranges samples by what it was trained on; without one a network that was trained on photographs does, by the things that they show."
        first={[
          { value: '', words: 'EfficientNet-Lite0, without a model of yours' },
          { value: pixels, words: 'gray pixels, for a first look' },
        ]}
        value={model}
        onChange={setModel}
      />
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
