import { useSyncExternalStore } from 'react'

import { standingOf } from '../../shared/access/speaker'
import { api, take } from '../../shared/api/client'
import { ApiProblem, explain, isStatus } from '../../shared/api/errors'
import { readReview } from './queries'
import type { Review } from './types'
import { Decisions, type DecisionsState, type DecisionEntry, type DecisionOutcome } from './decisions'

const storageKey = 'motherlode.decisions'
/** Timeouts and rate limits pass; the same decision is sent again later. */
const passing = new Set([408, 425, 429])

function load(): DecisionEntry[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? (stored as DecisionEntry[]) : []
  } catch {
    return []
  }
}

function keep(entries: readonly DecisionEntry[]): void {
  if (entries.length === 0) localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, JSON.stringify(entries))
}

async function send({ id, review, value, reason, answer }: DecisionEntry): Promise<DecisionOutcome> {
  const body = { value, reason, ...(answer === null ? {} : { answer }) }
  try {
    const decided = await take(api.POST('/labeling/reviews/{id}/decide', { params: { path: { id: review } }, body, headers: { 'Idempotency-Key': id } }))
    return { kind: 'saved', review: decided as Review }
  } catch (error) {
    if (isStatus(error, 401)) return { kind: 'signed_out' }
    if (!(error instanceof ApiProblem) || error.status >= 500 || passing.has(error.status)) return { kind: 'unreachable' }
    return { kind: 'refused', detail: explain(error), review: await readReview(review) }
  }
}

/** One for the whole application: leaving the page stops no sending. */
export const decisions = new Decisions({ load, keep }, send, standingOf)
window.addEventListener('online', () => void decisions.drain())

export function useDecisions(): DecisionsState {
  return useSyncExternalStore(decisions.subscribe, decisions.snapshot)
}
