import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

import { queueQuery } from '../../shared/api/queries'
import type { Id, Queue } from '../../shared/api/types'
import { outbox } from './outbox-app'
import { progressOf } from './progress'

/**
 * Keeps a queue at the counts that came last. Those of an answer or an undo are newer than what is being asked for, which so is
 * asked for in vain; once all is answered the queue is asked for anew, with what waits for review and what would be committed.
 */
export function useSavedCounts(address: Id, id: Id): void {
  const client = useQueryClient()
  useEffect(
    () =>
      outbox.onOutcome((entry, outcome) => {
        const told = String(entry.queue) === String(id) ? progressOf(outcome) : null
        if (!told) return
        // What others wrote may show from now on.
        void client.invalidateQueries({ queryKey: ['comments', 'task'] })
        const { queryKey } = queueQuery(address)
        const isOver = told.counts.todo + told.counts.leased === 0
        const several = (client.getQueryData<Queue>(queryKey)?.answers_per_task ?? 1) > 1
        // Which of my answers wait for others only the server knows.
        if (isOver || several) void client.invalidateQueries({ queryKey })
        else void client.cancelQueries({ queryKey }).then(() => client.setQueryData<Queue>(queryKey, (queue) => queue && { ...queue, ...told }))
      }),
    [client, address, id],
  )
}
