import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { RoleChoice } from '../../shared/access/role-choice'
import { aRole, ownsPlatform } from '../../shared/access/roles'
import type { Person, Role } from '../../shared/access/types'
import { peopleList } from '../../shared/api/lists'
import { PickField } from '../../shared/picking/pick-field'
import { FormDialog } from '../../shared/ui/form-dialog'
import { toast } from '../../shared/ui/toast-store'
import { setMember, standings } from './queries'

function refusalOf(person: Person, project: string): string | null {
  if (!person.active) return 'deactivated'
  if (ownsPlatform(person)) return 'owns the platform, so every project'
  return person.projects.some((one) => one.project === project) ? 'is a member already' : null
}

interface AddMemberDialogProps {
  project: string
  onClose: () => void
}

/** Gives somebody who is on the platform a role in a project. */
export function AddMemberDialog({ project, onClose }: AddMemberDialogProps) {
  const [username, setUsername] = useState('')
  const [role, setRole] = useState<Role>('annotator')
  const add = useMutation({
    mutationFn: () => setMember(project, username.trim(), role),
    meta: { renews: standings },
    onSuccess: (member) => {
      toast('plain', `${member.username} is ${aRole(member.role)} in ${project} now`)
      onClose()
    },
  })
  return (
    <FormDialog title={`Add somebody to ${project}`} onClose={onClose} className="stack wide-gap" sending={add} action="Add them" doing="Adding…">
      <PickField
        name="username"
        label="Username"
        hint="Somebody who can sign in already; owners of the platform add new people."
        placeholder="choose somebody"
        required
        free
        source={(q) => peopleList({ q })}
        choices={(person) => [{ value: person.username, refusal: refusalOf(person, project) }]}
        value={username}
        onChange={setUsername}
      />
      <RoleChoice role={role} onChange={setRole} />
    </FormDialog>
  )
}
