import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { Version } from '../../../shared/api/types'
import { Dialog } from '../../../shared/ui/dialog'
import { DialogButtons } from '../../../shared/ui/dialog-buttons'
import { Field, faultOf, FormFault } from '../../../shared/ui/form'
import { toast } from '../../../shared/ui/toast-store'

interface TagDialogProps {
  id: string
  version: Version
  onClose: () => void
}

/** A name that stays with one version. */
export function TagDialog({ id, version: { version }, onClose }: TagDialogProps) {
  const [name, setName] = useState('')
  const client = useQueryClient()
  const tag = useMutation({
    mutationFn: () => take(api.POST('/datasets/{reference}/tags', { params: { path: { reference: id } }, body: { name, version: String(version) } })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['datasets', id] })
      toast('plain', `v${version} is tagged ${name}`)
      onClose()
    },
  })
  return (
    <Dialog open onClose={onClose} title={`Tag v${version}`}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          tag.mutate()
        }}
      >
        <Field label="Tag" hint="A tag never moves: it names this version for good. For a name that moves, use an alias." fault={faultOf(tag.error, 'name')}>
          {(joined) => <input {...joined} className="field" required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />}
        </Field>
        <FormFault error={tag.error} fields={['name']} />
        <DialogButtons pending={tag.isPending} doing="Tagging…" blocked={name.trim() === ''} onClose={onClose}>
          {`Tag v${version}`}
        </DialogButtons>
      </form>
    </Dialog>
  )
}
