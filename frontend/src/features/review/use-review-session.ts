import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'

import type { LabelValue } from '../../shared/api/types'
import type { ReviewSearch } from '../../shared/routes/people-search'
import { decisions, useDecisions } from './decisions-app'
import type { DecisionEntry } from './decisions'
import { merged, nextOpen, replaced } from './list'
import { sameValue, valueWords } from './options'
import { readReviews } from './queries'
import { reopen } from './reopen'
import type { Review } from './types'

export interface ReviewSession {
  query: { isPending: boolean; error: unknown; refetch: () => unknown }
  /** Of every reason. */
  all: Review[]
  /** Of the reason that is looked at. */
  reviews: Review[]
  shown: Review | undefined
  following: Review | undefined
  /** What was decided here and is on its way. */
  onItsWay: DecisionEntry | undefined
  isDecided: (review: Review) => boolean
  decide: (value: LabelValue, reason: string) => void
  undo: () => void
  move: (step: 1 | -1) => void
  reopenShown: () => void
}

/** The list that one person works through: it keeps its order while decisions are made, here or by others. */
export function useReviewSession(queue: string, { state = 'open', reason, at }: ReviewSearch): ReviewSession {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { entries } = useDecisions()
  const source = () => readReviews(state, { queue })
  const queryKey = ['reviews', 'session', state, queue]
  const query = useQuery({
    queryKey,
    queryFn: async () => merged(client.getQueryData<Review[]>(queryKey) ?? [], await source()),
    gcTime: 0,
    refetchOnWindowFocus: false,
  })
  useKnowNews(queryKey)

  const all = query.data ?? []
  const reviews = all.filter((each) => reason === undefined || each.reason === reason)
  const waiting = (id: number) => entries.findLast((entry) => entry.review === id && entry.refused === null)
  const isDecided = (review: Review) => review.state === 'done' || waiting(review.id) !== undefined
  const shown = reviews.find(({ id }) => id === at) ?? nextOpen(reviews, isDecided) ?? (state === 'done' ? reviews[0] : undefined)
  const go = (id: number | undefined) =>
    void navigate({ to: '/review/$queue', params: { queue }, search: { ...(state === 'open' ? {} : { state }), ...(reason === undefined ? {} : { reason }), ...(id === undefined ? {} : { at: id }) }, replace: true })

  return {
    query,
    all,
    reviews,
    shown,
    following: shown && nextOpen(reviews, isDecided, shown.id),
    onItsWay: shown && waiting(shown.id),
    isDecided,
    decide: (value, said) => {
      if (!shown || isDecided(shown)) return
      const answer = shown.answers.find((each) => sameValue(each.value, value))?.id ?? null
      decisions.add({ review: shown.id, value, reason: said.trim(), answer, words: `${shown.sample.key}: ${valueWords(value)}` })
      remember(shown.id)
      go(nextOpen(reviews, (each) => each.id === shown.id || isDecided(each), shown.id)?.id)
    },
    undo: () => {
      const last = history.pop()
      if (last === undefined) return
      go(last)
      if (!decisions.withdraw(last)) void reopen(client, last)
    },
    move: (step) => {
      const place = reviews.findIndex(({ id }) => id === shown?.id)
      go(reviews[Math.min(Math.max(place + step, 0), reviews.length - 1)]?.id)
    },
    reopenShown: () => {
      // A decision that was refused stands in nobody's way: what is reopened is the server's.
      if (shown && (waiting(shown.id) === undefined || !decisions.withdraw(shown.id))) void reopen(client, shown.id)
    },
  }
}

/** What was decided on this page since it was opened, for undo. */
const history: number[] = []

function remember(id: number): void {
  history.push(id)
}

function useKnowNews(queryKey: readonly string[]): void {
  const client = useQueryClient()
  const key = JSON.stringify(queryKey)
  useEffect(
    () =>
      decisions.onNews((review) => {
        client.setQueryData<Review[]>(JSON.parse(key) as string[], (known) => known && replaced(known, review))
        // The list of open reviews and the queue's counts are read afresh when somebody looks at them.
        void client.invalidateQueries({ queryKey: ['reviews', 'open'] })
        void client.invalidateQueries({ queryKey: ['queues'] })
      }),
    [client, key],
  )
}
