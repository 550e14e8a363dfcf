import { useEffect, useState } from 'react'

import type { Queue } from '../../../shared/api/types'
import { RestFeed } from '../feed'
import { outbox } from '../outbox-app'
import { isSeveral } from '../queue-kind'
import { useOpenDesk } from '../use-desk'
import { GridDesk, type GridState } from './grid-desk'

/** As many thumbnails as two of the largest pages show. */
const kept = 200

/** The desk of this queue's pages for as long as the page stands. */
export function useGridDesk(queue: Queue, size: number): [GridDesk, GridState] {
  const [desk] = useState(() => {
    const facts = { id: queue.id, classes: queue.classes, several: isSeveral(queue), threshold: queue.accept_threshold }
    return new GridDesk(facts, outbox, new RestFeed((task) => task.sample.thumb, kept), size)
  })
  useEffect(() => desk.resize(size), [desk, size])
  return [desk, useOpenDesk(desk)]
}
