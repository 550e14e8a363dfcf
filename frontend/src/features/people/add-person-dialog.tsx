import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import { roleMeans, roles, roleWords } from '../../shared/access/roles'
import { SecretDialog } from '../../shared/access/secret-dialog'
import type { Role } from '../../shared/access/types'
import { TextField } from '../../shared/ui/fields'
import { FormDialog } from '../../shared/ui/form-dialog'

/** Adds a person and shows their first token, once. */
export function AddPersonDialog({ onClose }: { onClose: () => void }) {
  const [username, setUsername] = useState('')
  const [role, setRole] = useState<Role>('annotator')
  const add = useMutation({
    mutationFn: () => take(api.POST('/people', { body: { username: username.trim(), role } })),
    meta: { renews: [['people']] },
  })
  if (add.data) {
    return (
      <SecretDialog title={`${add.data.username} may sign in now`} of={add.data.username} secret={add.data.token} onClose={onClose} />
    )
  }
  return (
    <FormDialog title="Add a person" onClose={onClose} className="stack wide-gap" sending={add} action="Add and create a token" doing="Adding…" blocked={username.trim() === ''}>
      <TextField
        name="username"
        label="Username"
        hint="Shown with their answers. Letters, digits and @ . + - _"
        required
        maxLength={150}
        autoComplete="off"
        spellCheck={false}
        value={username}
        onChange={setUsername}
      />
      <RoleChoice role={role} onChange={setRole} />
    </FormDialog>
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
