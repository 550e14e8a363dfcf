import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import { RoleChoice } from '../../shared/access/role-choice'
import { SecretDialog } from '../../shared/access/secret-dialog'
import type { Role } from '../../shared/access/types'
import { useProjects } from '../../shared/project-choice/picked'
import { SelectField, TextField } from '../../shared/ui/fields'
import { FirstOption } from '../../shared/ui/first-option'
import { FormDialog } from '../../shared/ui/form-dialog'

/** Adds a person and shows their first token, once. */
export function AddPersonDialog({ onClose }: { onClose: () => void }) {
  const [username, setUsername] = useState('')
  const [role, setRole] = useState<Role>('annotator')
  const { names, several, picked } = useProjects()
  const [chosen, setChosen] = useState<string | null>(null)
  const project = several ? (chosen ?? picked ?? '') : ''
  const add = useMutation({
    mutationFn: () => take(api.POST('/people', { body: { username: username.trim(), role, ...(project === '' ? {} : { project }) } })),
    meta: { renews: [['people'], ['projects']] },
  })
  if (add.data) {
    return (
      <SecretDialog title={`${add.data.username} may sign in now`} of={add.data.username} secret={add.data.token} onClose={onClose} />
    )
  }
  return (
    <FormDialog title="Add a person" onClose={onClose} className="stack wide-gap" sending={add} action="Add and create a token" doing="Adding…" blocked={username.trim() === '' || (several && role !== 'owner' && project === '')}>
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
      <RoleChoice role={role} platform={!several} onChange={setRole} />
      {several && (
        <SelectField name="project" label="Project" hint="Where they have this role. More follow on the projects page." value={project} onChange={setChosen} options={names}>
          {role === 'owner' ? <option value="">every project, as an owner of the platform</option> : <FirstOption noun="project" among={names} />}
        </SelectField>
      )}
    </FormDialog>
  )
}
