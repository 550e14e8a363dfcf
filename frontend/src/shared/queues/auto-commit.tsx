import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { useRights } from '../access/use-may'
import { api, take } from '../api/client'
import { sessionQuery } from '../api/queries'
import { useNow } from '../live/use-now'
import { type AutoCommit, commitSentence } from './commit-words'

/** When a pipeline commits a queue that is answered, in a sentence that counts down. */
export function CommitCountdown({ commit }: { commit: AutoCommit }) {
  return <span role="timer">{commit.seconds_left === null ? commitSentence(commit, null) : <Counting key={commit.seconds_left} commit={commit} left={commit.seconds_left} />}</span>
}

/** Counts on from when the server said how many seconds are left. */
function Counting({ commit, left }: { commit: AutoCommit; left: number }) {
  const [due] = useState(() => Date.now() + left * 1_000)
  const now = useNow()
  return commitSentence(commit, Math.ceil(Math.min(left, Math.max(0, (due - now) / 1_000))))
}

/** Stops the countdown, or lets it begin anew, for those who label; an annotator does not end the hold of another. */
export function HoldButton({ queue, commit }: { queue: string | number; commit: AutoCommit }) {
  const client = useQueryClient()
  const params = { path: { reference: String(queue) } }
  const held = commit.held !== null
  const me = useQuery(sessionQuery).data?.user
  const may = useRights()
  const turn = useMutation({
    mutationFn: () =>
      held ? take(api.DELETE('/labeling/queues/{reference}/hold', { params })) : take(api.POST('/labeling/queues/{reference}/hold', { params })),
    meta: { refused: 'Nothing was changed.' },
    onSettled: () => Promise.all(['queues', 'pipelines', 'rounds'].map((noun) => client.invalidateQueries({ queryKey: [noun] }))),
  })
  if (!may('label') || (held && commit.held_by !== me?.username && !may('review'))) return null
  return (
    <button type="button" className="button" disabled={turn.isPending} onClick={() => turn.mutate()}>
      {held ? 'Release the hold' : 'Hold the commit'}
    </button>
  )
}
