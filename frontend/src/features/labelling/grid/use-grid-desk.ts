import { useEffect, useState, useSyncExternalStore } from 'react'

import type { Queue } from '../../../shared/api/types'
import { RestFeed } from '../feed'
import { outbox } from '../outbox-app'
import { isSeveral } from '../queue-kind'
import { GridDesk, type GridState } from './grid-desk'

/** As many thumbnails as two of the largest pages show. */
const kept = 200

/** The desk of this queue's pages for as long as the page stands. */
export function useGridDesk(queue: Queue, size: number): [GridDesk, GridState] {
  const [desk] = useState(() => {
    const facts = { id: queue.id, classes: queue.classes, several: isSeveral(queue), threshold: queue.accept_threshold }
    return new GridDesk(facts, outbox, new RestFeed((task) => task.sample.thumb, kept), size)
  })
  const state = useSyncExternalStore(desk.subscribe, desk.snapshot)
  useEffect(() => desk.resize(size), [desk, size])
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
