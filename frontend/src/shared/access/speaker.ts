import { api, csrfToken, take } from '../api/client'
import { isStatus } from '../api/errors'
import { sessionQuery } from '../api/queries'
import { announceSignedOut } from '../api/signed-out'

/** Whether the server still takes this browser for somebody. */
export type Standing = 'still' | 'another' | 'signed_out' | 'unreachable'

/** All tabs share one session, and each signing in, in whichever tab, changes the CSRF token. */
let known: { person: string; token: string | null } | null = null
const listeners = new Set<() => void>()

/** The server has just said who is signed in. */
export function know(person: string): void {
  known = { person, token: csrfToken() }
}

/** Called when another tab has signed in somebody else. */
export function onAnother(listener: () => void): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Asks the server only where somebody may have signed in since it last said who it is. */
export async function standingOf(person: string): Promise<Standing> {
  while (known === null || known.token !== csrfToken()) {
    const token = csrfToken()
    try {
      const { user } = await take(api.GET('/session'))
      known = { person: user.username, token }
    } catch (error) {
      if (!isStatus(error, 401)) return 'unreachable'
      announceSignedOut()
      return 'signed_out'
    }
  }
  if (known.person === person) return 'still'
  for (const listener of listeners) listener()
  return 'another'
}

/** What was read as one person, and may not be there for another. */
export const allButSession = { predicate: ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0] !== sessionQuery.queryKey[0] }
