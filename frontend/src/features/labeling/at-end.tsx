import { lazy, Suspense } from 'react'

import type { FinishedProps } from './finished'

const Finished = lazy(async () => ({ default: (await import('./finished')).Finished }))

/** What comes after the last image of a queue: nobody needs it to begin. */
export function AtEnd(props: FinishedProps) {
  return (
    <Suspense>
      <Finished {...props} />
    </Suspense>
  )
}
