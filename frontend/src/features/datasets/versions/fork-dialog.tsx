import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { Dataset, Version } from '../../../shared/api/types'
import { count } from '../../../shared/format/numbers'
import { Dialog } from '../../../shared/ui/dialog'
import { DialogButtons } from '../../../shared/ui/dialog-buttons'
import { Field, faultOf, FormFault } from '../../../shared/ui/form'
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
  const client = useQueryClient()
  const navigate = useNavigate()
  const fork = useMutation({
    mutationFn: () => take(api.POST('/datasets/{reference}/forks', { params: { path: { reference: id } }, body: { name, version: String(version), description } })),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ['datasets'] })
      toast('plain', `${made.name} begins as v${version} of ${dataset.name}`)
      await navigate({ to: '/datasets/$id', params: { id: made.name } })
    },
  })
  return (
    <Dialog open onClose={onClose} title={`Fork ${dataset.name} v${version}`}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          fork.mutate()
        }}
      >
        <p className="quiet">
          The fork begins with the {count(counts.samples)} samples of v{version}. Nothing is copied until one of the two changes, and neither sees the
          other&rsquo;s commits.
        </p>
        <Field label="Name" fault={faultOf(fork.error, 'name')}>
          {(joined) => <input {...joined} className="field" required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />}
        </Field>
        <Field label="Description" hint="What it is for." fault={faultOf(fork.error, 'description')}>
          {(joined) => <input {...joined} className="field" value={description} onChange={({ target }) => setDescription(target.value)} />}
        </Field>
        <FormFault error={fork.error} fields={['name', 'description']} />
        <DialogButtons pending={fork.isPending} doing="Forking…" blocked={name.trim() === ''} onClose={onClose}>
          Fork
        </DialogButtons>
      </form>
    </Dialog>
  )
}
