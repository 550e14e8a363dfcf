import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import { api, take } from '../../../shared/api/client'
import type { Version, VersionName } from '../../../shared/api/types'
import { Check, TextField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { toast } from '../../../shared/ui/toast-store'

interface AliasDialogProps {
  id: string
  /** Of the dataset. */
  project: string
  version: Version
  /** Those that the dataset has already. */
  names: VersionName[]
  onClose: () => void
}

/** Makes a name point to another version; a new one begins here. */
export function AliasDialog({ id, project, version: { version }, names, onClose }: AliasDialogProps) {
  const [alias, setAlias] = useState('')
  const [wanted, setWanted] = useState<boolean | null>(null)
  const listId = useId()
  const owns = useMay('own', project)
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
    meta: { renews: [['datasets', id]] },
    onSuccess: () => {
      toast('plain', `${alias} points to v${version}`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Move an alias to v${version}`}
      onClose={onClose}
      sending={move}
      action={there ? `Move it from v${there.version} to v${version}` : `Point it to v${version}`}
      doing="Moving…"
      refusal={isProtected && !owns ? `${alias} is protected: only owners may move it.` : null}
    >
      <TextField
        name="alias"
        label="Alias"
        hint={there ? `It points to v${there.version} now.` : 'A name that moves, such as golden. A new name starts here.'}
        list={listId}
        required
        maxLength={100}
        value={alias}
        onChange={setAlias}
      />
      <datalist id={listId}>
        {known.map(({ name, version: at }) => (
          <option key={name} value={name}>
            v{at}
          </option>
        ))}
      </datalist>
      <Check checked={isProtected} disabled={!owns} onChange={setWanted}>
        Protected <span className="quiet">– only owners may move it</span>
      </Check>
    </FormDialog>
  )
}
