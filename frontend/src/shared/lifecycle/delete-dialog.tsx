import '../ui/form.css'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { flushSync } from 'react-dom'

import type { Dependent } from '../api/types'
import { count } from '../format/numbers'
import { Dialog } from '../ui/dialog'
import { TextField } from '../ui/fields'
import { Form } from '../ui/form'
import { Failure, Skeleton } from '../ui/messages'
import { toast } from '../ui/toast-store'
import { deletionQuery, type LifecycleKind, type Named, nouns, reads, remove } from './calls'
import { useRefresh } from './use-lifecycle'

interface DeleteDialogProps {
  kind: LifecycleKind
  thing: Named
  onClose: () => void
  onDeleted?: (() => Promise<void>) | undefined
}

/** What would go and what would stay; who means it types the name. */
export function DeleteDialog({ kind, thing, onClose, onDeleted }: DeleteDialogProps) {
  const [name, setName] = useState('')
  const told = useQuery(deletionQuery(kind, thing.id))
  const refresh = useRefresh(kind)
  const client = useQueryClient()
  const send = useMutation({
    mutationFn: () => remove(kind, thing.id, name.trim()),
    onSuccess: async () => {
      toast('plain', `The ${nouns[kind]} “${thing.name}” is being deleted; the jobs page shows how far it is.`)
      // What showed it goes first, with what it read: nothing asks for it once it is gone.
      flushSync(onClose)
      await onDeleted?.()
      // Whoever goes back reads what is left of it, not what was.
      client.removeQueries({ queryKey: [reads[kind]], type: 'inactive' })
      await refresh()
    },
  })
  const noun = nouns[kind]
  const allowed = told.data?.allowed === true
  const close = (
    <button type="button" className="button" onClick={onClose}>
      {allowed ? 'Cancel' : 'Close'}
    </button>
  )
  return (
    <Dialog onClose={onClose} title={`Delete the ${noun} “${thing.name}”`}>
      {told.isPending && <Skeleton height={120} />}
      {told.isError && <Failure what="Its dependents could not be loaded" error={told.error} safe="Nothing was deleted." retry={() => void told.refetch()} />}
      {told.data && (
        <Form className="form-lines" sending={send} action={allowed ? `Delete the ${noun}` : undefined} doing="Deleting…" refusal={!allowed || name.trim() === thing.name ? null : `Type its name, ${thing.name}, to delete it.`} beside={close}>
          <Dependents title="Deleted with it" rows={told.data.goes} />
          <Dependents title="Kept, and marked as made from something deleted" rows={told.data.stays} />
          <Dependents title="Blocks deletion: still uses it" rows={told.data.needs} />
          <Dependents title="Blocks deletion: still running" rows={told.data.busy} />
          {allowed && (
            <TextField name="confirm" label={`Type ${thing.name} to delete it for good`} hint="This can’t be undone." value={name} autoComplete="off" spellCheck={false} onChange={setName} />
          )}
        </Form>
      )}
    </Dialog>
  )
}

function Dependents({ title, rows }: { title: string; rows: Dependent[] }) {
  if (rows.length === 0) return null
  return (
    <section aria-label={title}>
      <strong>{title}</strong>
      <ul>
        {rows.map((row) => (
          <li key={row.name}>
            {row.name}: {count(row.count)}
            {row.names.length > 0 && <span className="quiet"> ({row.names.join(', ')})</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
