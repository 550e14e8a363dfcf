import { asProblem, csrfToken } from '../../shared/api/client'
import { announceSignedOut } from '../../shared/api/signed-out'
import type { AnswerReceipt, LabelTask } from '../../shared/api/types'
import type { Outcome } from './outbox'
import type { Entry } from './outbox-store'

const tooLong = 20_000

/** Sends one entry under its own idempotency key and says what became of it; never throws. */
export async function send(entry: Entry): Promise<Outcome> {
  const response = await post(entry)
  // Timeouts, rate limits, a restarting server, and "the same request is still being worked on": the same key, later.
  if (response === null || response.status >= 500 || [408, 425, 429].includes(response.status)) return { kind: 'unreachable' }
  if (response.status === 401) {
    announceSignedOut()
    return { kind: 'signed_out' }
  }
  const body: unknown = await response.json().catch(() => null)
  if (response.ok) {
    return entry.kind === 'undo'
      ? { kind: 'undone', task: body as LabelTask }
      : { kind: 'saved', receipt: body as AnswerReceipt | null }
  }
  const problem = asProblem(body, response)
  if (problem.code === 'lease_lost') return { kind: 'lease_lost', detail: problem.detail }
  if (response.status === 409 && problem.code.includes('progress')) return { kind: 'unreachable' }
  return { kind: 'refused', detail: problem.detail }
}

async function post(entry: Entry): Promise<Response | null> {
  const token = csrfToken()
  try {
    return await fetch(`/labeling/tasks/${encodeURIComponent(entry.task)}/${entry.kind}`, {
      method: 'POST',
      credentials: 'same-origin',
      signal: AbortSignal.timeout(tooLong),
      headers: {
        'Content-Type': 'application/json',
        'Idempotency-Key': entry.id,
        ...(token === null ? {} : { 'X-CSRFToken': token }),
      },
      body: JSON.stringify(entry.body ?? {}),
    })
  } catch {
    return null
  }
}
