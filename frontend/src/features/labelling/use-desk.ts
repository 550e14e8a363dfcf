import { useEffect, useState, useSyncExternalStore } from 'react'

import type { Queue } from '../../shared/api/types'
import { Desk, type DeskState } from './desk'
import { RestFeed } from './feed'
import { outbox } from './outbox-app'
import { isSeveral } from './queue-kind'

/** The desk of this queue for as long as the page stands. */
export function useDesk(queue: Queue): [Desk, DeskState] {
  const [desk] = useState(() => new Desk({ id: queue.id, classes: queue.classes, several: isSeveral(queue) }, outbox, new RestFeed()))
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
  return [desk, state]
}
