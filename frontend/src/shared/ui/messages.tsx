import type { ReactNode } from 'react'

import { ApiProblem, explain, isStatus, Unreachable } from '../api/errors'

/** Whoever asks the same again gets the same answer. */
const final = new Set([400, 404, 422])

/** One sentence and one thing to do. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className="message">
      <p>{children}</p>
      {action}
    </div>
  )
}

interface FailureProps {
  /** What could not be done: `The datasets could not be loaded`. */
  what: string
  error: unknown
  /** What is not in danger. */
  safe?: string
  retry?: () => void
  /** Leads to what there is, where what was asked for isn't. */
  elsewhere?: ReactNode
}

export function Failure({ what, error, safe, retry, elsewhere }: FailureProps) {
  if (elsewhere && isStatus(error, 404)) {
    return (
      <div className="message">
        <h1>{explain(error)}</h1>
        {elsewhere}
      </div>
    )
  }
  return (
    <div className="message bad" role="alert">
      <h2>{what}</h2>
      <p>{explain(error)}</p>
      <p className="quiet">
        {safe ?? 'Nothing was changed on the server.'}{' '}
        {error instanceof Unreachable ? 'The page tries again automatically. Is the platform running (make up)?' : ''}
      </p>
      {error instanceof ApiProblem && final.has(error.status)
        ? elsewhere
        : retry && (
            <button type="button" className="button" onClick={retry}>
              Try again
            </button>
          )}
    </div>
  )
}

/** Grey blocks of the shape that is coming; they show only after 300 ms. */
export function Skeleton({ height, width = '100%' }: { height: number; width?: number | string }) {
  return <span className="skeleton" style={{ height, width }} aria-hidden />
}
