import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { Version } from '../../../shared/api/types'
import { TextField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { toast } from '../../../shared/ui/toast-store'

interface TagDialogProps {
  id: string
  version: Version
  onClose: () => void
}

/** A name that stays with one version. */
export function TagDialog({ id, version: { version }, onClose }: TagDialogProps) {
  const [name, setName] = useState('')
  const tag = useMutation({
    mutationFn: () => take(api.POST('/datasets/{reference}/tags', { params: { path: { reference: id } }, body: { name, version: String(version) } })),
    meta: { renews: [['datasets', id]] },
    onSuccess: () => {
      toast('plain', `v${version} is tagged ${name}`)
      onClose()
    },
  })
  return (
    <FormDialog title={`Tag v${version}`} onClose={onClose} sending={tag} action={`Tag v${version}`} doing="Tagging…">
      <TextField name="name" label="Tag" hint="A tag always names this version. For a name that can move, use an alias." required maxLength={100} value={name} onChange={setName} />
    </FormDialog>
  )
}
