import type { Role } from '../../shared/access/types'
import { api, take } from '../../shared/api/client'
import { asked, type Searched } from '../../shared/api/lists'
import type { Member } from '../../shared/api/types'
import { listOptions } from '../../shared/lists/pages'

/** Who came last first. */
export function membersList(project: string, search: Searched) {
  const query = asked(search)
  return listOptions<Member>({
    queryKey: ['projects', project, 'members', query],
    read: (at) => take(api.GET('/projects/{reference}/members', { params: { path: { reference: project }, query: { ...query, ...at } } })),
  })
}

/** Makes somebody a member, or gives a member another role. */
export function setMember(project: string, person: string, role: Role) {
  return take(api.PUT('/projects/{reference}/members/{person}', { params: { path: { reference: project, person } }, body: { role } }))
}

export function removeMember(project: string, person: string) {
  return take(api.DELETE('/projects/{reference}/members/{person}', { params: { path: { reference: project, person } } }))
}

/** What tells who is in which project. */
export const standings = [['projects'], ['people'], ['session']]
