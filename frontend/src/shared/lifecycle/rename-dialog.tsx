import '../ui/form.css'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { TextField } from '../ui/fields'
import { FormDialog } from '../ui/form-dialog'
import { type LifecycleKind, type Named, nouns, rename } from './calls'
import { useRefresh } from './use-lifecycle'

interface RenameDialogProps {
  kind: LifecycleKind
  thing: Named
  onClose: () => void
  onRenamed?: ((name: string) => void) | undefined
}

export function RenameDialog({ kind, thing, onClose, onRenamed }: RenameDialogProps) {
  const [name, setName] = useState(thing.name)
  const refresh = useRefresh(kind)
  const send = useMutation({
    mutationFn: () => rename(kind, thing.id, name.trim()),
    onSuccess: async (named) => {
      onRenamed?.(named.name)
      onClose()
      await refresh()
    },
  })
  return (
    <FormDialog
      title={`Rename the ${nouns[kind]} “${thing.name}”`}
      onClose={onClose}
      className="form-lines"
      sending={send}
      action="Rename"
      doing="Renaming…"
      refusal={name.trim() === thing.name ? 'That is its name already.' : null}
    >
      <TextField name="name" label="Name" hint={`The old name still leads here, and no other ${nouns[kind]} may take it.`} required value={name} autoComplete="off" spellCheck={false} onChange={setName} />
    </FormDialog>
  )
}
