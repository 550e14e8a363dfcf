import './comments.css'

import { type CSSProperties, type PointerEvent, useEffect, useRef } from 'react'

import { type CommentsOfTask, isOpen, within } from './use-task-comments'
import type { Place } from './types'

interface PinLayerProps {
  of: CommentsOfTask
  /** How it comes to lie exactly over the image. */
  style?: CSSProperties
}

/** The places of open comments over an image; while a place is chosen, a click chooses it. */
export function PinLayer({ of, style }: PinLayerProps) {
  const layer = useRef<HTMLDivElement>(null)
  const placing = of.placing !== null
  useEffect(() => {
    // On a phone the panel stands below the image.
    if (placing) layer.current?.parentElement?.scrollIntoView({ block: 'nearest' })
  }, [placing])
  if (!of.shown) return null
  const marked = of.placing ?? of.draft.place
  return (
    <div ref={layer} className={`pin-layer ${placing ? 'placing' : ''}`} style={style} {...(placing && placedBy(of))}>
      {of.comments.map(
        (comment, index) =>
          isOpen(comment) &&
          comment.x !== null &&
          comment.y !== null && (
            <button
              key={comment.id}
              type="button"
              className="pin"
              style={placeOf({ x: comment.x, y: comment.y })}
              aria-label={`Comment ${index + 1} by ${comment.author.username}`}
              title={comment.text}
              onPointerDown={(event) => event.stopPropagation()}
              onClick={() => focusComment(comment.id)}
            >
              {index + 1}
            </button>
          ),
      )}
      {marked && <span className="pin new" style={placeOf(marked)} aria-hidden />}
    </div>
  )
}

function placeOf({ x, y }: Place): CSSProperties {
  return { left: `${x * 100}%`, top: `${y * 100}%` }
}

function placedBy({ settle }: CommentsOfTask) {
  return {
    onPointerDown: (event: PointerEvent) => event.stopPropagation(),
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      event.stopPropagation()
      const { left, top, width, height } = event.currentTarget.getBoundingClientRect()
      settle(within((event.clientX - left) / width, (event.clientY - top) / height))
    },
  }
}

export function commentId(id: number): string {
  return `comment-${id}`
}

function focusComment(id: number): void {
  const element = document.getElementById(commentId(id))
  element?.focus({ preventScroll: true })
  element?.scrollIntoView({ block: 'nearest' })
}
