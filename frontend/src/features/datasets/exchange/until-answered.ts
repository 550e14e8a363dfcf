import { ApiProblem, Unreachable } from '../../../shared/api/errors'
import { newId } from '../../../shared/api/new-id'

interface Patience {
  signal: AbortSignal
  onWait: () => void
  /** Waits between two attempts; tests have no time. */
  pause?: (attempt: number, signal: AbortSignal) => Promise<void>
}

/** Calls until an answer comes, with one key for all attempts. Throws what the server refused, and when it is stopped. */
export async function untilAnswered<T>(call: (idempotencyKey: string) => Promise<T>, { signal, onWait, pause = longer }: Patience): Promise<T> {
  const key = newId()
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await call(key)
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error
      onWait()
      await pause(attempt, signal)
      signal.throwIfAborted()
    }
  }
}

/** No answer, a server that is starting or busy, and a login that ended are over some time; a refusal is not. */
function mayPass(error: unknown): boolean {
  if (error instanceof Unreachable) return true
  return error instanceof ApiProblem && (error.status >= 500 || error.status === 401 || error.status === 429)
}

const longestPause = 15_000

/** Twice as long each time, and over at once when the browser says that the network is back. */
function longer(attempt: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      window.removeEventListener('online', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, Math.min(longestPause, 1_000 * 2 ** attempt))
    window.addEventListener('online', done)
    signal.addEventListener('abort', done)
  })
}
