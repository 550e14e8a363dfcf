import { asProblem, csrfToken } from '../../shared/api/client'
import { announceSignedOut } from '../../shared/api/signed-out'
import type { AnswerReceipt, PageResult, UndoneTask } from '../../shared/api/types'
import type { SendOutcome } from './outbox'
import type { OutboxEntry } from './outbox-store'

const tooLong = 20_000

/** Sends one entry under its own idempotency key and says what became of it; never throws. */
export async function send(entry: OutboxEntry): Promise<SendOutcome> {
  const response = await post(entry)
  // Timeouts, rate limits, a restarting server, and "the same request is still being worked on": the same key, later.
  if (response === null || response.status >= 500 || [408, 425, 429].includes(response.status)) return { kind: 'unreachable' }
  if (response.status === 401) {
    announceSignedOut()
    return { kind: 'signed_out' }
  }
  const body: unknown = await response.json().catch(() => null)
  if (response.ok) {
    return taken(entry, body)
  }
  // A flag that is gone already needs no taking away.
  if (entry.kind === 'unflag' && response.status === 404) return { kind: 'saved', receipt: null }
  const problem = asProblem(body, response)
  if (problem.code === 'lease_lost') return { kind: 'lease_lost', detail: problem.detail }
  if (response.status === 409 && problem.code.includes('progress')) return { kind: 'unreachable' }
  return { kind: 'refused', detail: problem.detail }
}

function taken(entry: OutboxEntry, body: unknown): SendOutcome {
  switch (entry.kind) {
    case 'undo':
      return { kind: 'undone', task: body as UndoneTask }
    case 'page':
      return { kind: 'page', results: (body as { results: PageResult[] }).results }
    case 'answer':
    case 'skip':
      return { kind: 'saved', receipt: body as AnswerReceipt | null }
    default:
      return { kind: 'saved', receipt: null }
  }
}

function address(entry: OutboxEntry): string {
  if (entry.kind === 'page') return `/labeling/queues/${encodeURIComponent(entry.queue)}/answers`
  return `/labeling/tasks/${encodeURIComponent(entry.task)}/${entry.kind === 'unflag' ? 'flag' : entry.kind}`
}

async function post(entry: OutboxEntry): Promise<Response | null> {
  const token = csrfToken()
  try {
    return await fetch(address(entry), {
      method: entry.kind === 'unflag' ? 'DELETE' : 'POST',
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
