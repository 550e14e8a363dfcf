import { useEffect, useState, useSyncExternalStore } from 'react'

import type { Queue } from '../../shared/api/types'
import { Desk, type DeskState } from './desk'
import { RestFeed } from './feed'
import { outbox } from './outbox-app'
import { isSeveral } from './queue-kind'
import type { Stopwatch } from './stopwatch'

interface OpenDesk<State> {
  subscribe: (listener: () => void) => () => void
  snapshot: () => State
  open: () => () => void
  tick: (now: number) => Promise<void>
  stopwatch: Stopwatch
}

/** The desk of this queue for as long as the page stands. */
export function useDesk(queue: Queue): [Desk, DeskState] {
  const [desk] = useState(() => new Desk({ id: queue.id, classes: queue.classes, several: isSeveral(queue) }, outbox, new RestFeed()))
  return [desk, useOpenDesk(desk)]
}

/** Keeps a desk open while the page stands: its beat, and a stopwatch that rests while nobody can look. */
export function useOpenDesk<State>(desk: OpenDesk<State>): State {
  const state = useSyncExternalStore(desk.subscribe, desk.snapshot)
  useEffect(() => {
    const close = desk.open()
    const beat = setInterval(() => void desk.tick(Date.now()), 1_000)
    const onVisibility = () => (document.hidden ? desk.stopwatch.pause() : desk.stopwatch.resume())
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      close()
      clearInterval(beat)
      document.removeEventListener('visibilitychange', onVisibility)
    }
  }, [desk])
  return state
}
