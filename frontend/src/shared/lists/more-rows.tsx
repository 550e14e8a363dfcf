import { useEffect, useRef } from 'react'

import { explain } from '../api/errors'
import { count } from '../format/numbers'
import type { Reading } from './pages'

/** How far below the screen's edge the next rows are read already. */
const ahead = '400px'

interface MoreRowsProps {
  /** What is listed, in the plural. */
  noun: string
  reading: Pick<Reading<unknown>, 'rows' | 'more' | 'error'>
  /** Only the button reads on: other things stand below. */
  byHand?: boolean
}

/** Below a list that goes on: how much of it is shown, and the rest of it, which is read as it comes into view or on demand. */
export function MoreRows({ noun, reading: { rows, more, error }, byHand = false }: MoreRowsProps) {
  const line = useRef<HTMLDivElement>(null)
  const read = more && !byHand && !more.busy && !more.failed ? more.read : null
  useEffect(() => {
    if (!line.current || !read || !('IntersectionObserver' in window)) return undefined
    const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && read(), { rootMargin: ahead })
    observer.observe(line.current)
    return () => observer.disconnect()
  }, [read])
  if (!more || rows === undefined) return null
  return (
    <div ref={line} className="row wrap more-rows">
      <button type="button" className="button" disabled={more.busy} onClick={more.read}>
        {more.busy ? 'Reading…' : `Show more ${noun}`}
      </button>
      <span className="quiet small" role="status">
        {more.failed ? explain(error) : `The first ${count(rows.length)} are shown.`}
      </span>
    </div>
  )
}
