import { useEffect, useState } from 'react'

import type { Queue } from '../../../shared/api/types'
import { RestTaskSource } from '../task-source'
import { outbox } from '../outbox-app'
import { isSeveral } from '../queue-kind'
import { useOpenLabelSession } from '../use-label-session'
import { GridSession, type GridState } from './grid-session'

/** As many thumbnails as two of the largest pages show. */
const kept = 200

/** The session of this queue's pages for as long as the page stands. */
export function useGridSession(queue: Queue, size: number): [GridSession, GridState] {
  const [session] = useState(() => {
    const facts = { id: queue.id, classes: queue.classes, several: isSeveral(queue), threshold: queue.accept_threshold }
    return new GridSession(facts, outbox, new RestTaskSource((task) => task.sample.thumb, kept), size)
  })
  useEffect(() => session.resize(size), [session, size])
  return [session, useOpenLabelSession(session)]
}
