import type { QueryClient } from '@tanstack/react-query'

import { outbox } from '../features/labeling/outbox-app'
import { decisions } from '../features/review/decisions-app'
import { keepSignedIn } from '../shared/access/still-signed-in'
import { api, take } from '../shared/api/client'
import { explain } from '../shared/api/errors'
import { toast } from '../shared/ui/toast-store'

/** Leaves for the sign-in page, once the server has what was said here. */
export async function signOut(client: QueryClient): Promise<void> {
  await Promise.all([outbox.drain(), decisions.drain()])
  const { entries } = decisions.snapshot()
  if (outbox.snapshot().waiting > 0 || entries.some(({ refused }) => refused === null)) {
    toast('bad', 'Some labels or decisions are not saved yet; stay signed in until the server has them.')
    return
  }
  try {
    const { provider } = await take(api.DELETE('/session'))
    client.clear()
    keepSignedIn(provider)
    location.assign('/app/login')
  } catch (error) {
    toast('bad', `You are still signed in. ${explain(error)}`)
  }
}
