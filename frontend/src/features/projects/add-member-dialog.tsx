import { useMutation, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useId, useState } from 'react'

import { RoleChoice } from '../../shared/access/role-choice'
import { aRole, ownsPlatform } from '../../shared/access/roles'
import type { Role } from '../../shared/access/types'
import { TextField } from '../../shared/ui/fields'
import { FormDialog } from '../../shared/ui/form-dialog'
import { toast } from '../../shared/ui/toast-store'
import { namesQuery, setMember, standings } from './queries'

interface AddMemberDialogProps {
  project: string
  onClose: () => void
}

/** Gives somebody who is on the platform a role in a project. */
export function AddMemberDialog({ project, onClose }: AddMemberDialogProps) {
  const [username, setUsername] = useState('')
  const [role, setRole] = useState<Role>('annotator')
  const known = useQuery(namesQuery(useDeferredValue(username.trim()))).data ?? []
  const others = known.filter((person) => person.active && !ownsPlatform(person) && person.projects.every((one) => one.project !== project))
  const listId = useId()
  const add = useMutation({
    mutationFn: () => setMember(project, username.trim(), role),
    meta: { renews: standings },
    onSuccess: (member) => {
      toast('plain', `${member.username} is ${aRole(member.role)} in ${project} now`)
      onClose()
    },
  })
  return (
    <FormDialog title={`Add somebody to ${project}`} onClose={onClose} className="stack wide-gap" sending={add} action="Add them" doing="Adding…" blocked={username.trim() === ''}>
      <TextField
        name="username"
        label="Username"
        hint="Somebody who can sign in already; owners of the platform add new people."
        list={listId}
        required
        maxLength={150}
        autoComplete="off"
        spellCheck={false}
        value={username}
        onChange={setUsername}
      />
      <datalist id={listId}>
        {others.map(({ id, username }) => (
          <option key={id} value={username} />
        ))}
      </datalist>
      <RoleChoice role={role} onChange={setRole} />
    </FormDialog>
  )
}
