import { useMutation, useQueryClient } from '@tanstack/react-query'

import { aRole, roles, roleWords } from '../../shared/access/roles'
import type { Role } from '../../shared/access/types'
import { explain } from '../../shared/api/errors'
import type { Member } from '../../shared/api/types'
import { when } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { Chip } from '../../shared/ui/chip'
import { toast } from '../../shared/ui/toast-store'
import { removeMember, setMember, standings } from './queries'

const columns = ['Name', 'Role', 'Since', { name: 'Actions', silent: true }] as const

interface MemberTableProps {
  project: string
  members: readonly Member[]
  me: number | undefined
  /** Whether whoever looks may change it. */
  owns: boolean
}

export function MemberTable({ project, members, me, owns }: MemberTableProps) {
  return (
    <Table caption={`Members of ${project}`} columns={columns}>
      {members.map((member) => (
        <MemberRow key={member.id} project={project} member={member} isMe={member.id === me} owns={owns} />
      ))}
    </Table>
  )
}

interface MemberRowProps {
  project: string
  member: Member
  isMe: boolean
  owns: boolean
}

/** Nobody takes their own role away: another owner does. */
function MemberRow({ project, member, isMe, owns }: MemberRowProps) {
  const { username, role, active, service, since } = member
  const { change, busy } = useChange(project, member)
  const mayChange = owns && !isMe
  return (
    <tr>
      <th scope="row">
        <span className="cut name" title={username}>
          {username}
        </span>{' '}
        {isMe && <span className="quiet small">(you)</span>}
        {service && <Chip>Service account</Chip>}
        {!active && <Chip>Deactivated</Chip>}
      </th>
      <td>
        {mayChange ? (
          <select className="field" aria-label={`Role of ${username}`} value={role} disabled={busy} onChange={({ target }) => change(target.value as Role)}>
            {roles.map((each) => (
              <option key={each} value={each}>
                {roleWords[each]}
              </option>
            ))}
          </select>
        ) : (
          roleWords[role]
        )}
      </td>
      <td className="quiet">{when(since)}</td>
      <td className="number">
        {mayChange && (
          <button type="button" className="button little" disabled={busy} onClick={() => change(null)}>
            Remove<span className="visually-hidden"> {username}</span>
          </button>
        )}
      </td>
    </tr>
  )
}

/** Gives a member another role, or with null takes them out, at once; the line that says so offers the way back. */
function useChange(project: string, { id, username, role }: Member) {
  const client = useQueryClient()
  const renew = () => Promise.all(standings.map((queryKey) => client.invalidateQueries({ queryKey })))
  const back = async () => {
    try {
      await setMember(project, String(id), role)
    } catch (error) {
      toast('bad', `${username} stays changed. ${explain(error)}`)
    }
    await renew()
  }
  const change = useMutation({
    mutationFn: (wanted: Role | null) => (wanted === null ? removeMember(project, String(id)) : setMember(project, String(id), wanted)),
    onSuccess: async (_, wanted) => {
      const words = wanted === null ? `${username} is no longer in ${project}` : `${username} is ${aRole(wanted)} in ${project} now`
      toast('plain', words, { label: 'Undo', run: () => void back() })
      await renew()
    },
    onError: async (error) => {
      toast('bad', `${username} is as before. ${explain(error)}`)
      await renew()
    },
  })
  return { change: (wanted: Role | null) => change.mutate(wanted), busy: change.isPending }
}
