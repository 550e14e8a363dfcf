import { type PointerEvent, useRef, useState } from 'react'

import { type MapPoint, type MapView, panned, pinched } from './view'

export type MapTool = 'pan' | 'lasso' | 'box'
export type How = 'only' | 'add' | 'remove'

export interface Drag {
  tool: MapTool
  line: MapPoint[]
  how: How
  finger: boolean
}

interface Given {
  tool: MapTool
  whole: MapView
  /** Changes what the view is by then: fingers move more than once a frame. */
  onMove: (change: (view: MapView) => MapView) => void
  onDrawn: (drag: Drag) => void
}

type Handler = (event: PointerEvent<HTMLCanvasElement>) => void

interface MapPointer {
  drag: Drag | null
  /** Where a mouse rests, or a finger tapped. */
  pointer: Resting | null
  forget: () => void
  handlers: Record<'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel' | 'onPointerLeave', Handler>
}

export interface Resting {
  place: MapPoint
  finger: boolean
}

const middleButton = 1

/** What the mouse and fingers do: one draws or moves, by the tool; two fingers zoom and move, whatever the tool. */
export function useMapPointer({ tool, whole, onMove, onDrawn }: Given): MapPointer {
  const [drag, setDrag] = useState<Drag | null>(null)
  /** The same at once: a drag can end before what was drawn last is on the screen. */
  const held = useRef<Drag | null>(null)
  const [pointer, setPointer] = useState<Resting | null>(null)
  const down = useRef(new Map<number, MapPoint>())
  const hold = (next: Drag | null) => {
    held.current = next
    setDrag(next)
  }
  const lift: Handler = (event) => {
    down.current.delete(event.pointerId)
    hold(null)
  }
  return {
    drag,
    pointer,
    forget: () => setPointer(null),
    handlers: {
      onPointerDown: (event) => {
        if (event.button > middleButton) return
        event.currentTarget.setPointerCapture(event.pointerId)
        down.current.set(event.pointerId, placeOf(event))
        const how = event.altKey ? 'remove' : event.shiftKey ? 'add' : 'only'
        hold(down.current.size > 1 ? null : { tool: event.button === middleButton ? 'pan' : tool, how, finger: isFinger(event), line: [placeOf(event)] })
      },
      onPointerMove: (event) => {
        const [from, to] = [down.current.get(event.pointerId), placeOf(event)]
        if (!isFinger(event)) setPointer({ place: to, finger: false })
        if (!from) return
        const [other] = [...down.current].filter(([id]) => id !== event.pointerId)
        down.current.set(event.pointerId, to)
        if (other) {
          setPointer(null)
          onMove((view) => pinched(view, [from, other[1]], [to, other[1]], whole))
        } else if (held.current) {
          hold({ ...held.current, line: longer(held.current, to) })
          if (held.current.tool === 'pan') onMove((view) => panned(view, to[0] - from[0], to[1] - from[1]))
        }
      },
      onPointerUp: (event) => {
        const drawn = held.current
        if (drawn?.finger === true) setPointer(isStill(drawn) ? { place: placeOf(event), finger: true } : null)
        if (drawn) onDrawn(drawn)
        lift(event)
      },
      onPointerCancel: lift,
      onPointerLeave: (event) => {
        if (!isFinger(event)) setPointer(null)
      },
    },
  }
}

const clickReach = 4
const tapReach = 10

/** Whether it is a click or a tap. */
export function isStill({ line, finger }: Pick<Drag, 'line' | 'finger'>): boolean {
  const [x0, y0] = line[0] ?? [0, 0]
  return line.every(([x, y]) => Math.hypot(x - x0, y - y0) < (finger ? tapReach : clickReach))
}

/** A lasso keeps its way, at least 2 px at a time; what else is drawn its two ends. */
function longer({ tool, line }: Drag, to: MapPoint): MapPoint[] {
  const [first, last] = [line[0] ?? to, line.at(-1) ?? to]
  if (tool === 'pan') return Math.hypot(to[0] - first[0], to[1] - first[1]) > Math.hypot(last[0] - first[0], last[1] - first[1]) ? [first, to] : line
  if (tool === 'box') return [first, to]
  return Math.hypot(to[0] - last[0], to[1] - last[1]) < 2 ? line : [...line, to]
}

function placeOf({ nativeEvent: { offsetX, offsetY } }: PointerEvent): MapPoint {
  return [offsetX, offsetY]
}

function isFinger({ pointerType }: PointerEvent): boolean {
  return pointerType === 'touch'
}
