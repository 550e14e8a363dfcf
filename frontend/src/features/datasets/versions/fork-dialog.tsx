import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { Dataset, Version } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { TextField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { toast } from '../../../shared/ui/toast-store'

interface ForkDialogProps {
  id: string
  dataset: Dataset
  version: Version
  onClose: () => void
}

/** A dataset of its own that begins as a version of this one. */
export function ForkDialog({ id, dataset, version: { version, counts }, onClose }: ForkDialogProps) {
  const [name, setName] = useState(`${dataset.name}-fork`)
  const [description, setDescription] = useState('')
  const navigate = useNavigate()
  const fork = useMutation({
    mutationFn: () => take(api.POST('/datasets/{reference}/forks', { params: { path: { reference: id } }, body: { name, version: String(version), description } })),
    meta: { renews: [['datasets']] },
    onSuccess: async (made) => {
      toast('plain', `${made.name} starts as v${version} of ${dataset.name}`)
      await navigate({ to: '/datasets/$id', params: { id: made.name } })
    },
  })
  return (
    <FormDialog title={`Fork ${dataset.name} v${version}`} onClose={onClose} sending={fork} action="Fork" doing="Forking…">
      <p className="quiet">
        The fork starts with {plural(counts.samples, 'sample')}, those of v{version}. Nothing is copied until one of the two changes, and neither sees the
        other&rsquo;s commits.
      </p>
      <TextField name="name" label="Name" required maxLength={100} value={name} onChange={setName} />
      <TextField name="description" label="Description" hint="What it is for." value={description} onChange={setDescription} />
    </FormDialog>
  )
}
