import '../ui/form.css'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { Dialog } from '../ui/dialog'
import { DialogButtons } from '../ui/dialog-buttons'
import { Field, faultOf, FormFault } from '../ui/form'
import { type Kind, type Named, nouns, rename } from './calls'
import { useRefresh } from './use-lifecycle'

interface RenameDialogProps {
  kind: Kind
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
    <Dialog open onClose={onClose} title={`Rename the ${nouns[kind]} “${thing.name}”`}>
      <form
        className="form-lines"
        onSubmit={(event) => {
          event.preventDefault()
          send.mutate()
        }}
      >
        <Field label="Name" hint={`Addresses with the old name lead here until another ${nouns[kind]} takes it.`} fault={faultOf(send.error, 'name')}>
          {(joined) => <input {...joined} className="field" type="text" value={name} autoComplete="off" spellCheck={false} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <FormFault error={send.error} fields={['name']} />
        <DialogButtons pending={send.isPending} doing="Renaming…" blocked={name.trim() === '' || name.trim() === thing.name} onClose={onClose}>
          Rename
        </DialogButtons>
      </form>
    </Dialog>
  )
}
