import { useEffect, useState, useSyncExternalStore } from 'react'

import type { Queue } from '../../shared/api/types'
import { LabelSession, type LabelSessionState } from './label-session'
import { RestTaskSource } from './task-source'
import { outbox } from './outbox-app'
import { isSeveral } from './queue-kind'
import type { Stopwatch } from './stopwatch'

interface OpenLabelSession<State> {
  subscribe: (listener: () => void) => () => void
  snapshot: () => State
  open: () => () => void
  tick: (now: number) => Promise<void>
  stopwatch: Stopwatch
}

/** The session of this queue for as long as the page stands. */
export function useLabelSession(queue: Queue): [LabelSession, LabelSessionState] {
  const [session] = useState(() => new LabelSession({ id: queue.id, classes: queue.classes, several: isSeveral(queue) }, outbox, new RestTaskSource()))
  return [session, useOpenLabelSession(session)]
}

/** Keeps a session open while the page stands: its beat, and a stopwatch that rests while nobody can look. */
export function useOpenLabelSession<State>(session: OpenLabelSession<State>): State {
  const state = useSyncExternalStore(session.subscribe, session.snapshot)
  useEffect(() => {
    const close = session.open()
    const beat = setInterval(() => void session.tick(Date.now()), 1_000)
    const onVisibility = () => (document.hidden ? session.stopwatch.pause() : session.stopwatch.resume())
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      close()
      clearInterval(beat)
      document.removeEventListener('visibilitychange', onVisibility)
    }
  }, [session])
  return state
}
