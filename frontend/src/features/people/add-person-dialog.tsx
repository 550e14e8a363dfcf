import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import { roleMeans, roles, roleWords } from '../../shared/access/roles'
import { SecretDialog } from '../../shared/access/secret-dialog'
import type { Role } from '../../shared/access/types'
import { Dialog } from '../../shared/ui/dialog'
import { DialogButtons } from '../../shared/ui/dialog-buttons'
import { Field, faultOf, FormFault } from '../../shared/ui/form'

/** Adds a person and shows their first token, once. */
export function AddPersonDialog({ onClose }: { onClose: () => void }) {
  const [username, setUsername] = useState('')
  const [role, setRole] = useState<Role>('annotator')
  const client = useQueryClient()
  const add = useMutation({
    mutationFn: () => take(api.POST('/people', { body: { username: username.trim(), role } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['people'] }),
  })
  if (add.data) {
    return (
      <SecretDialog title={`${add.data.username} may sign in now`} of={add.data.username} secret={add.data.token} onClose={onClose} />
    )
  }
  return (
    <Dialog open onClose={onClose} title="Add a person">
      <form
        className="stack wide-gap"
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate()
        }}
      >
        <Field label="Username" hint="Stands beside their answers; letters, digits and @ . + - _" fault={faultOf(add.error, 'username')}>
          {(joined) => (
            <input {...joined} className="field" required maxLength={150} autoComplete="off" spellCheck={false} value={username} onChange={({ target }) => setUsername(target.value)} />
          )}
        </Field>
        <RoleChoice role={role} onChange={setRole} />
        <FormFault error={add.error} fields={['username']} />
        <DialogButtons pending={add.isPending} doing="Adding…" blocked={username.trim() === ''} onClose={onClose}>
          Add and make a token
        </DialogButtons>
      </form>
    </Dialog>
  )
}

function RoleChoice({ role, onChange }: { role: Role; onChange: (role: Role) => void }) {
  return (
    <fieldset className="form-group form-lines">
      <legend>Role</legend>
      {roles.map((each) => (
        <label key={each} className="check">
          <input type="radio" name="role" checked={role === each} onChange={() => onChange(each)} />
          <span>
            {roleWords[each]} <span className="quiet">– {roleMeans[each]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
