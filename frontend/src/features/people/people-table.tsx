import '../../shared/ui/form.css'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import { explain } from '../../shared/api/errors'
import { when } from '../../shared/format/numbers'
import { roles, roleWords } from '../../shared/access/roles'
import { TokenList } from '../../shared/access/token-list'
import type { Person, Role } from '../../shared/access/types'
import { Chip } from '../../shared/ui/chip'
import { Dialog } from '../../shared/ui/dialog'
import { toast } from '../../shared/ui/toast-store'

interface Change {
  role?: Role
  active?: boolean
}

export function PeopleTable({ people, me }: { people: Person[]; me: number | undefined }) {
  const [tokensOf, setTokensOf] = useState<Person | null>(null)
  return (
    <div className="panel table-scroll">
      <table className="table">
        <caption className="visually-hidden">People who may sign in</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Role</th>
            <th scope="col">May sign in</th>
            <th scope="col">Added</th>
            <th scope="col">Last seen</th>
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {people.map((person) => (
            <PersonRow key={person.id} person={person} isMe={person.id === me} onTokens={() => setTokensOf(person)} />
          ))}
        </tbody>
      </table>
      {tokensOf && (
        <Dialog open drawer onClose={() => setTokensOf(null)} title={`Tokens of ${tokensOf.username}`}>
          <TokenList person={tokensOf.id} username={tokensOf.username} />
        </Dialog>
      )}
    </div>
  )
}

function PersonRow({ person, isMe, onTokens }: { person: Person; isMe: boolean; onTokens: () => void }) {
  const change = useChange(person)
  const { username, role, active } = person
  return (
    <tr>
      <th scope="row">
        {username} {isMe && <span className="quiet small">(you)</span>}
      </th>
      <td>
        <select
          className="field"
          aria-label={`Role of ${username}`}
          value={role}
          disabled={change.isPending || !active}
          onChange={({ target }) => change.mutate({ role: target.value as Role })}
        >
          {roles.map((each) => (
            <option key={each} value={each}>
              {roleWords[each]}
            </option>
          ))}
        </select>
      </td>
      <td>{active ? <Chip tone="ok">Active</Chip> : <Chip>Deactivated</Chip>}</td>
      <td className="quiet">{when(person.created)}</td>
      <td className="quiet">{person.last_used === null ? 'never' : when(person.last_used)}</td>
      <td className="number">
        <span className="row" style={{ justifyContent: 'flex-end' }}>
          <button type="button" className="button little" onClick={onTokens}>
            <KeyRound size={12} aria-hidden />
            {person.tokens === 1 ? '1 token' : `${person.tokens} tokens`}<span className="visually-hidden"> of {username}</span>
          </button>
          <button type="button" className="button little" disabled={change.isPending || isMe} onClick={() => change.mutate({ active: !active })}>
            {active ? 'Deactivate' : 'Activate'}
            <span className="visually-hidden"> {username}</span>
          </button>
        </span>
      </td>
    </tr>
  )
}

/** Changes a person at once, and offers the way back for as long as the line stands. */
function useChange({ id, username, role, active }: Person) {
  const client = useQueryClient()
  const send = (change: Change) => take(api.PATCH('/people/{reference}', { params: { path: { reference: String(id) } }, body: change }))
  const renew = () => client.invalidateQueries({ queryKey: ['people'] })
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
      const before = change.role === undefined ? { active } : { role }
      toast('plain', words(username, change), { label: 'Undo', run: () => void back(before) })
      await renew()
    },
    onError: async (error) => {
      toast('bad', `${username} is as before. ${explain(error)}`)
      await renew()
    },
  })
}

function words(username: string, { role, active }: Change): string {
  if (role !== undefined) return `${username} is ${role === 'reviewer' ? 'a' : 'an'} ${roleWords[role].toLowerCase()} now`
  return active === true ? `${username} may sign in again` : `${username} is signed out and may not sign in; what they said stays`
}
