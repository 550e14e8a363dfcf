import { ApiProblem } from '../../shared/api/errors'
import { useNow } from '../../shared/live/use-now'

interface Sent {
  error: unknown
  submittedAt: number
}

/** Seconds until the next try, after too many wrong tokens came from here; 0 while one may try. */
export function useWait({ error, submittedAt }: Sent): number {
  const now = useNow()
  const wait = error instanceof ApiProblem ? (error.problem.wait ?? 0) : 0
  return Math.max(0, Math.min(wait, Math.ceil((submittedAt + wait * 1000 - now) / 1000)))
}
