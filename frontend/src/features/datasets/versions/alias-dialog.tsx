import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'

import { isAtLeast } from '../../../shared/access/roles'
import { api, take } from '../../../shared/api/client'
import { sessionQuery } from '../../../shared/api/queries'
import type { Version, VersionName } from '../../../shared/api/types'
import { Dialog } from '../../../shared/ui/dialog'
import { DialogButtons } from '../../../shared/ui/dialog-buttons'
import { Field, faultOf, FormFault } from '../../../shared/ui/form'
import { toast } from '../../../shared/ui/toast-store'

interface AliasDialogProps {
  id: string
  version: Version
  /** Those that the dataset has already. */
  names: VersionName[]
  onClose: () => void
}

/** Makes a name point to another version; a new one begins here. */
export function AliasDialog({ id, version: { version }, names, onClose }: AliasDialogProps) {
  const [alias, setAlias] = useState('')
  const [wanted, setWanted] = useState<boolean | null>(null)
  const listId = useId()
  const client = useQueryClient()
  const owns = isAtLeast(useQuery(sessionQuery).data?.user.role, 'owner')
  const known = names.filter(({ kind }) => kind === 'alias')
  const there = known.find(({ name }) => name === alias)
  const isProtected = wanted ?? there?.protected ?? false
  const move = useMutation({
    mutationFn: () => take(
        api.POST('/datasets/{reference}/aliases', {
          params: { path: { reference: id } },
          body: { alias, version: String(version), protected: wanted },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['datasets', id] })
      toast('plain', `${alias} points to v${version}`)
      onClose()
    },
  })
  return (
    <Dialog open onClose={onClose} title={`Move an alias to v${version}`}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          move.mutate()
        }}
      >
        <Field
          label="Alias"
          hint={there ? `It points to v${there.version} now.` : 'A name that moves, such as golden. One that does not exist yet begins here.'}
          fault={faultOf(move.error, 'alias')}
        >
          {(joined) => (
            <input {...joined} className="field" list={listId} required maxLength={100} value={alias} onChange={({ target }) => setAlias(target.value)} />
          )}
        </Field>
        <datalist id={listId}>
          {known.map(({ name, version: at }) => (
            <option key={name} value={name}>
              v{at}
            </option>
          ))}
        </datalist>
        <label className="check">
          <input type="checkbox" checked={isProtected} disabled={!owns} onChange={({ target }) => setWanted(target.checked)} />
          <span>
            Protected <span className="quiet">– only owners may move it</span>
          </span>
        </label>
        <FormFault error={move.error} fields={['alias']} />
        <DialogButtons pending={move.isPending} doing="Moving…" blocked={alias.trim() === '' || (isProtected && !owns)} onClose={onClose}>
          {there ? `Move it from v${there.version} to v${version}` : `Point it to v${version}`}
        </DialogButtons>
      </form>
    </Dialog>
  )
}
