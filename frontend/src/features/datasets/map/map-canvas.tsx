import { Maximize, ZoomIn, ZoomOut } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'

import type { EmbeddingMap } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { useDark } from '../../../shared/ui/theme'
import { useSize } from '../../../shared/ui/use-size'
import { Pointed } from './pointed'
import type { Points } from './points'
import { useDrawing } from './use-drawing'
import { fitted, inside, nearest, panned, type MapPoint, rectangle, type MapView, zoomed } from './view'

export type MapTool = 'pan' | 'lasso' | 'box'

interface MapCanvasProps {
  map: EmbeddingMap
  points: Points
  /** The place in `names` of each point's group. */
  groups: Uint16Array
  names: readonly string[]
  /** In whose order colours are given. */
  classes: readonly string[]
  tool: MapTool
  selected: Uint8Array | null
  onSelect: (found: Uint8Array, how: 'only' | 'add' | 'remove') => void
}

interface Drag {
  tool: MapTool
  line: MapPoint[]
  how: 'only' | 'add' | 'remove'
}

const step = 1.5
const corner: MapPoint = [0, 0]
const arrows: Record<string, MapPoint> = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }

/** The points, to be moved, zoomed and selected. */
export function MapCanvas({ map, points, groups, names, classes, tool, selected, onSelect }: MapCanvasProps) {
  const host = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useSize(host)
  const dark = useDark()
  const [moved, setMoved] = useState<MapView | null>(null)
  const [drag, setDrag] = useState<Drag | null>(null)
  const [pointer, setPointer] = useState<MapPoint | null>(null)
  const [keyed, setKeyed] = useState(false)
  const whole = fitted(points.xy, size)
  const view = moved ?? whole
  useDrawing(canvas, size, view, { points, groups, names, classes, selected, dark })
  const pointed = drag ? null : pointedAt(points, view, pointer, keyed ? [size.width / 2, size.height / 2] : null)
  useWheel(canvas, (factor, at) => setMoved(zoomed(view, factor, at, whole)))

  const zoom = (factor: number) => setMoved(zoomed(view, factor, [size.width / 2, size.height / 2], whole))
  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = arrows[event.key]
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (arrow) setMoved(panned(view, ...arrow))
    else if (event.key === '+' || event.key === '=') zoom(step)
    else if (event.key === '-') zoom(1 / step)
    else if (event.key === '0') setMoved(null)
    else if (event.key === ' ' && pointed !== null) onSelect(only(points, pointed), selected?.[pointed] === 1 ? 'remove' : 'add')
    else return
    setPointer(null)
    event.preventDefault()
  }
  const onPointerDown = (event: PointerEvent<HTMLCanvasElement>) => {
    if (event.button > 1) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const how = event.altKey ? 'remove' : event.shiftKey ? 'add' : 'only'
    setDrag({ tool: event.button === 1 ? 'pan' : tool, line: [placeOf(event)], how })
  }
  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>) => {
    setPointer(placeOf(event))
    if (!drag) return
    const [from, to] = [drag.line.at(-1) ?? corner, placeOf(event)]
    if (drag.tool === 'pan') setMoved(panned(view, to[0] - from[0], to[1] - from[1]))
    setDrag({ ...drag, line: drag.tool === 'lasso' || drag.line.length < 2 ? [...drag.line, to] : [drag.line[0] ?? to, to] })
  }
  const onPointerUp = () => {
    if (!drag) return
    setDrag(null)
    const found = choice(drag, points, view)
    if (found) onSelect(found, drag.how)
  }
  return (
    <div ref={host} className="map-stage">
      <canvas
        ref={canvas}
        className={`map-canvas ${tool}`}
        style={{ width: size.width, height: size.height }}
        // Its keys move and zoom; Tab leaves it, and selecting without a pointer is the legend's part.
        // eslint-disable-next-line jsx-a11y/no-interactive-element-to-noninteractive-role
        role="application"
        aria-label={`Map of ${plural(points.count, 'sample')}. Arrows move it, plus and minus zoom, 0 shows all of it. Space selects the sample in the middle. The legend selects by class.`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => setDrag(null)}
        onPointerLeave={() => setPointer(null)}
        onFocus={({ currentTarget }) => setKeyed(currentTarget.matches(':focus-visible'))}
        onBlur={() => setKeyed(false)}
      />
      {drag && drag.tool !== 'pan' && drag.line.length > 1 && <DragLine drag={drag} />}
      {pointed !== null && <Pointed map={map} sample={points.sample[pointed] ?? 0} place={screenPlace(points, view, pointed)} size={size} spoken={pointer === null} />}
      <div className="map-zoom">
        <button type="button" className="button icon" aria-label="Zoom in" onClick={() => zoom(step)}>
          <ZoomIn size={16} aria-hidden />
        </button>
        <button type="button" className="button icon" aria-label="Zoom out" onClick={() => zoom(1 / step)}>
          <ZoomOut size={16} aria-hidden />
        </button>
        <button type="button" className="button icon" aria-label="Show the whole map" onClick={() => setMoved(null)}>
          <Maximize size={16} aria-hidden />
        </button>
      </div>
    </div>
  )
}

function placeOf({ nativeEvent: { offsetX, offsetY } }: PointerEvent): MapPoint {
  return [offsetX, offsetY]
}

/** The point under the pointer; without a pointer, the one nearest to the middle, which keys move. */
function pointedAt(points: Points, view: MapView, pointer: MapPoint | null, middle: MapPoint | null): number | null {
  if (pointer !== null) return nearest(points.xy, view, pointer)
  return middle === null ? null : nearest(points.xy, view, middle, Infinity)
}

function screenPlace({ xy }: Points, view: MapView, index: number): MapPoint {
  return [(xy[2 * index] ?? 0) * view.scale + view.x, (xy[2 * index + 1] ?? 0) * view.scale + view.y]
}

/** A selection of one point. */
function only(points: Points, index: number): Uint8Array {
  const found = new Uint8Array(points.count)
  found[index] = 1
  return found
}

const clickReach = 4

/** What a gesture selects: the area it drew, or the one point that was clicked; null where it selects nothing. */
function choice({ tool, line }: Drag, points: Points, view: MapView): Uint8Array | null {
  const [first, last]: [MapPoint, MapPoint] = [line[0] ?? corner, line.at(-1) ?? corner]
  const still = line.every(([x, y]) => Math.hypot(x - first[0], y - first[1]) < clickReach)
  if (still) {
    const hit = nearest(points.xy, view, first)
    return hit === null ? new Uint8Array(points.count) : only(points, hit)
  }
  if (tool === 'pan') return null
  return inside(points.xy, view, tool === 'box' ? rectangle(first, last) : line)
}

function DragLine({ drag: { tool, line } }: { drag: Drag }) {
  const border = tool === 'box' ? rectangle(line[0] ?? corner, line.at(-1) ?? corner) : line
  const path = border.map((place) => place.join(',')).join(' ')
  return (
    <svg className="map-line" aria-hidden>
      <polygon className="halo" points={path} />
      <polygon className="line" points={path} />
    </svg>
  )
}

/** A wheel listener must be allowed to stop the page from scrolling, which React's own is not. */
function useWheel(canvas: React.RefObject<HTMLCanvasElement | null>, onZoom: (factor: number, at: MapPoint) => void): void {
  const latest = useRef(onZoom)
  useEffect(() => {
    latest.current = onZoom
  })
  useEffect(() => {
    const element = canvas.current
    if (!element) return
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      latest.current(Math.exp(-event.deltaY / 400), [event.offsetX, event.offsetY])
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [canvas])
}
