import { queryOptions, useMutation } from '@tanstack/react-query'

import { api, take } from '../api/client'
import { cursorOf } from '../api/pages'
import { keyWithin, within } from '../api/queries'
import type { Comment, Place } from './types'

const renews = [['comments']]
const readAgainAfter = 15_000

export interface TaskComments {
  comments: Comment[]
  /** Names of those who can be mentioned. */
  people: string[]
  /** How many others wrote that show once the task is answered. */
  hidden: number
}

/** What people wrote about a task, the oldest first. */
export function commentsOf(task: number) {
  return queryOptions({
    queryKey: ['comments', 'task', task],
    queryFn: () => readComments(task),
    refetchInterval: readAgainAfter,
  })
}

async function readComments(task: number): Promise<TaskComments> {
  const comments: Comment[] = []
  let people: string[] = []
  let hidden = 0
  let cursor: string | null = null
  do {
    const query = { limit: 500, ...(cursor === null ? {} : { cursor }) }
    const page: { results: Comment[]; people: string[]; hidden: number; next: string | null } = await take(api.GET('/labeling/tasks/{id}/comments', { params: { path: { id: task }, query } }))
    comments.push(...page.results)
    people = page.people
    hidden = page.hidden
    cursor = cursorOf(page.next)
  } while (cursor !== null)
  return { comments, people, hidden }
}

/** Open comments that mention whoever is signed in, the newest first. */
export function mentionsQuery(project: string | null) {
  return queryOptions({
    queryKey: keyWithin(['comments', 'mentions'], project),
    queryFn: () => take(api.GET('/labeling/comments', { params: { query: { mentions: 'me', open: true, ...within(project) } } })),
    refetchInterval: readAgainAfter,
  })
}

export function useWrite(task: number) {
  return useMutation({
    mutationFn: ({ text, place }: { text: string; place: Place | null }) =>
      take(api.POST('/labeling/tasks/{id}/comments', { params: { path: { id: task } }, body: { text, x: place?.x ?? null, y: place?.y ?? null } })),
    meta: { renews },
  })
}

export function useResolve() {
  return useMutation({
    mutationFn: ({ id, resolved }: { id: number; resolved: boolean }) => take(api.PATCH('/labeling/comments/{id}', { params: { path: { id } }, body: { resolved } })),
    meta: { renews, refused: 'The comment stays as it was.' },
  })
}

export function useDelete() {
  return useMutation({
    mutationFn: (id: number) => take(api.DELETE('/labeling/comments/{id}', { params: { path: { id } } })),
    meta: { renews, refused: 'The comment was not deleted.' },
  })
}
