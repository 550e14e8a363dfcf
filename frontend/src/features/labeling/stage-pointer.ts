import { type Dispatch, type PointerEvent, type SetStateAction, useRef } from 'react'

import { panned, pinched, type ImageView, type StagePoint, type StageSize } from './view'

type Handler = (event: PointerEvent<HTMLDivElement>) => void

/** What the mouse and fingers do: one moves a zoomed image, two zoom and move it. `fit` is the image's size as it fits. */
export function useStagePointer(onView: Dispatch<SetStateAction<ImageView>>, fit: StageSize): Record<'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel', Handler> {
  const down = useRef(new Map<number, StagePoint>())
  const lift: Handler = ({ pointerId }) => down.current.delete(pointerId)
  return {
    onPointerDown: (event) => {
      // A finger stays with what it touched by itself, and a tap on a comment's number reaches it.
      if (event.pointerType === 'mouse') event.currentTarget.setPointerCapture(event.pointerId)
      down.current.set(event.pointerId, placeOf(event))
    },
    onPointerMove: (event) => {
      const [from, to] = [down.current.get(event.pointerId), placeOf(event)]
      if (!from) return
      const [other] = [...down.current].filter(([id]) => id !== event.pointerId)
      down.current.set(event.pointerId, to)
      onView((view) => {
        if (other) return pinched(view, [from, other[1]], [to, other[1]], fit)
        return view.scale > 1 ? panned(view, { x: to.x - from.x, y: to.y - from.y }, grown(fit, view.scale)) : view
      })
    },
    onPointerUp: lift,
    onPointerCancel: lift,
  }
}

function grown({ width, height }: StageSize, scale: number): StageSize {
  return { width: width * scale, height: height * scale }
}

/** In px from the stage's middle. */
function placeOf({ currentTarget, clientX, clientY }: PointerEvent<HTMLDivElement>): StagePoint {
  const { left, top, width, height } = currentTarget.getBoundingClientRect()
  return { x: clientX - left - width / 2, y: clientY - top - height / 2 }
}
