import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import { projectsList } from '../../shared/api/lists'
import { signInOptionsQuery } from '../../shared/api/queries'
import { lifetimes } from '../../shared/access/lifetimes'
import { RoleChoice } from '../../shared/access/role-choice'
import { SecretDialog } from '../../shared/access/secret-dialog'
import type { Role } from '../../shared/access/types'
import { PickField } from '../../shared/picking/pick-field'
import { useProjects } from '../../shared/project-choice/picked'
import { Check, SelectField, TextField } from '../../shared/ui/fields'
import { FormDialog } from '../../shared/ui/form-dialog'

/** Adds a person and shows their first token, once. */
export function AddPersonDialog({ onClose }: { onClose: () => void }) {
  const [username, setUsername] = useState('')
  const [role, setRole] = useState<Role>('annotator')
  const [service, setService] = useState(false)
  const [days, setDays] = useState('90')
  const [email, setEmail] = useState('')
  const provider = useQuery(signInOptionsQuery).data?.provider
  const { several, picked } = useProjects()
  const [chosen, setChosen] = useState<string | null>(null)
  const project = several ? (chosen ?? picked ?? '') : ''
  const chooseService = (chosenNow: boolean) => {
    setService(chosenNow)
    if (chosenNow && !several && role === 'owner') setRole('annotator')
  }
  const add = useMutation({
    mutationFn: () => take(api.POST('/people', { body: { username: username.trim(), role, ...(project === '' ? {} : { project }), ...(service ? { service, expires_in_days: Number(days) } : email.trim() === '' ? {} : { email: email.trim() }) } })),
    meta: { renews: [['people'], ['projects']] },
  })
  if (add.data) {
    const { username: name, token } = add.data
    return <SecretDialog title={service ? `The first token of ${name}` : `${name} can now sign in`} of={name} secret={token} signsIn={!service} onClose={onClose} />
  }
  return (
    <FormDialog title={service ? 'Add a service account' : 'Add a person'} onClose={onClose} className="stack wide-gap" sending={add} action="Add and create a token" doing="Adding…">
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
      <Check checked={service} onChange={chooseService}>
        Service account <span className="quiet">– for a program: it has tokens that expire, and can’t sign in</span>
      </Check>
      {service && <SelectField name="expires_in_days" label="Its first token expires" value={days} onChange={setDays} options={lifetimes} />}
      {provider && !service && (
        <TextField
          name="email"
          label="Email"
          type="email"
          hint={`Optional: whoever has this verified address at ${provider.name} signs in as this person.`}
          maxLength={254}
          autoComplete="off"
          value={email}
          onChange={setEmail}
        />
      )}
      <RoleChoice role={role} platform={!several} most={service && !several ? 'engineer' : undefined} onChange={setRole} />
      {several && (
        <PickField
          name="project"
          label="Project"
          hint="Where they have this role. More follow on the projects page."
          placeholder="choose a project"
          required={service || role !== 'owner'}
          first={role === 'owner' && !service ? [{ value: '', words: 'every project, as an owner of the platform' }] : []}
          source={(q) => projectsList({ q })}
          choices={({ name }) => [{ value: name }]}
          value={project}
          onChange={setChosen}
        />
      )}
    </FormDialog>
  )
}
