import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'

import type { Role } from '../../shared/access/types'
import { api, take } from '../../shared/api/client'
import { cursorOf } from '../../shared/api/pages'

/** By id or name. */
export function projectQuery(reference: string) {
  return queryOptions({
    queryKey: ['projects', reference],
    queryFn: () => take(api.GET('/projects/{reference}', { params: { path: { reference } } })),
  })
}

/** Who came last first. */
export function membersQuery(project: string) {
  return infiniteQueryOptions({
    queryKey: ['projects', project, 'members'],
    queryFn: ({ pageParam }) =>
      take(api.GET('/projects/{reference}/members', { params: { path: { reference: project }, query: pageParam === null ? {} : { cursor: pageParam } } })),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
  })
}

/** As many names as anybody looks through. */
const mostNames = 20

/** Some whose name has `q` in it, of those that whoever asks knows. */
export function namesQuery(q: string) {
  return queryOptions({
    queryKey: ['people', 'names', q],
    queryFn: async () => (await take(api.GET('/people', { params: { query: { limit: mostNames, ...(q === '' ? {} : { q }) } } }))).results,
    placeholderData: keepPreviousData,
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
