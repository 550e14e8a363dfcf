import { useSyncExternalStore } from 'react'

import { standingOf } from '../../shared/access/speaker'
import { Outbox, type OutboxState } from './outbox'
import { OutboxStore } from './outbox-store'
import { send } from './send'

/** The page's one outbox. */
export const outbox = new Outbox(new OutboxStore(), send, standingOf)

/** Sends what an earlier visit left behind, and again whenever the network or the annotator comes back. */
export function startOutbox(): void {
  const drain = () => void outbox.drain()
  window.addEventListener('online', drain)
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) drain()
  })
  drain()
}

export function useOutbox(): OutboxState {
  return useSyncExternalStore(outbox.subscribe, outbox.snapshot)
}
