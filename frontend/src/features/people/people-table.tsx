import '../../shared/ui/form.css'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import { signInOptionsQuery } from '../../shared/api/queries'
import { explain } from '../../shared/api/errors'
import { when } from '../../shared/format/numbers'
import { aRole, ownsPlatform } from '../../shared/access/roles'
import { TokenList } from '../../shared/access/token-list'
import type { Person } from '../../shared/access/types'
import { Chip } from '../../shared/ui/chip'
import { Dialog } from '../../shared/ui/dialog'
import { RefusableButton } from '../../shared/ui/refusable-button'
import { toast } from '../../shared/ui/toast-store'
import { EmailDialog } from './email-dialog'
import { DeactivateDialog } from './deactivate-dialog'
import { RoleCell, type RoleChange } from './role-cell'

/** Another role, or back on the platform. */
type Change = RoleChange | { active: true }

export function PeopleTable({ caption, people, me }: { caption: string; people: Person[]; me: number | undefined }) {
  const [tokensOf, setTokensOf] = useState<Person | null>(null)
  const [leaving, setLeaving] = useState<Person | null>(null)
  const [addressed, setAddressed] = useState<Person | null>(null)
  const provider = useQuery(signInOptionsQuery).data?.provider
  return (
    <div className="panel table-scroll">
      <table className="table">
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Role</th>
            <th scope="col">{people.every(({ service }) => service) ? 'State' : 'Can sign in'}</th>
            <th scope="col">Added</th>
            <th scope="col">Last seen</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {people.map((person) => (
            <PersonRow key={person.id} person={person} isMe={person.id === me} onTokens={() => setTokensOf(person)} onDeactivate={() => setLeaving(person)} onEmail={provider && !person.service ? () => setAddressed(person) : undefined} />
          ))}
        </tbody>
      </table>
      {tokensOf && (
        <Dialog drawer onClose={() => setTokensOf(null)} title={`Tokens of ${tokensOf.username}`}>
          <TokenList person={tokensOf.id} username={tokensOf.username} service={tokensOf.service} projects={ownsPlatform(tokensOf) ? undefined : tokensOf.projects.map(({ project }) => project)} />
        </Dialog>
      )}
      {addressed && provider && <EmailDialog person={addressed} provider={provider.name} onClose={() => setAddressed(null)} />}
      {leaving && <DeactivateDialog person={leaving} onClose={() => setLeaving(null)} />}
    </div>
  )
}

interface PersonRowProps {
  person: Person
  isMe: boolean
  onTokens: () => void
  onDeactivate: () => void
  /** Left out where nobody signs in by email. */
  onEmail: (() => void) | undefined
}

function PersonRow({ person, isMe, onTokens, onDeactivate, onEmail }: PersonRowProps) {
  const change = useChange(person, onTokens)
  const { username, active } = person
  return (
    <tr>
      <th scope="row">
        <span className="cut name" title={username}>
          {username}
        </span>
        {isMe && <span className="quiet small">(you)</span>}
        {onEmail && person.email && <span className="cut quiet small email">{person.email}</span>}
      </th>
      <td>
        <RoleCell person={person} busy={change.isPending} onChange={(role) => change.mutate(role)} />
      </td>
      <td>{active ? <Chip tone="ok">Active</Chip> : <Chip>Deactivated</Chip>}</td>
      <td className="quiet">{when(person.created)}</td>
      <td className="quiet">{person.last_seen === null ? 'never' : when(person.last_seen)}</td>
      <td className="number">
        <span className="row" style={{ justifyContent: 'flex-end' }}>
          {onEmail && (
            <button type="button" className="button little" onClick={onEmail}>
              {person.email ? 'Email' : 'Add email'}<span className="visually-hidden"> of {username}</span>
            </button>
          )}
          <button type="button" className="button little" onClick={onTokens}>
            <KeyRound size={12} aria-hidden />
            {person.tokens === 1 ? '1 token' : `${person.tokens} tokens`}<span className="visually-hidden"> of {username}</span>
          </button>
          <RefusableButton
            className="button little"
            refusal={isMe ? 'You can’t deactivate yourself; another owner can.' : change.isPending ? 'A change is being saved.' : null}
            onClick={() => (active ? onDeactivate() : change.mutate({ active: true }))}
          >
            {active ? 'Deactivate' : 'Activate'}
            <span className="visually-hidden"> {username}</span>
          </RefusableButton>
        </span>
      </td>
    </tr>
  )
}

/** Changes a person at once. The line that says so offers the way back from a role, and the token that a person who is back needs. */
function useChange(person: Person, onTokens: () => void) {
  const { id, username } = person
  const client = useQueryClient()
  const send = (change: Change) => take(api.PATCH('/people/{reference}', { params: { path: { reference: String(id) } }, body: change }))
  const renew = () => Promise.all(['people', 'projects', 'session'].map((noun) => client.invalidateQueries({ queryKey: [noun] })))
  const back = async (change: Change) => {
    try {
      await send(change)
    } catch (error) {
      toast('bad', `${username} stays changed. ${explain(error)}`)
    }
    await renew()
  }
  return useMutation({
    mutationFn: send,
    onSuccess: async (_, change) => {
      if (!('role' in change)) toast('plain', person.service ? `${username} is active again, and needs a new token` : `${username} may sign in again, with a new token`, { label: 'Create a token', run: onTokens })
      else {
        const before = changeBack(person, change)
        toast('plain', words(username, change), before && { label: 'Undo', run: () => void back(before) })
      }
      await renew()
    },
    onError: async (error) => {
      toast('bad', `${username} is as before. ${explain(error)}`)
      await renew()
    },
  })
}

/** What makes somebody again what they are now, where one change does: an owner of the platform is unmade without a project. */
function changeBack(person: Person, change: RoleChange): RoleChange | undefined {
  if (ownsPlatform(person)) return { role: 'owner' }
  const [only] = person.projects
  if (only === undefined) return undefined
  if (only.role !== 'owner') return { role: only.role }
  return change.role === 'owner' ? undefined : { role: 'owner', project: only.project }
}

function words(username: string, { role, project }: RoleChange): string {
  return `${username} is ${aRole(role)}${project === undefined ? '' : ` in ${project}`} now`
}
