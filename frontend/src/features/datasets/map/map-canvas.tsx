import { Maximize, ZoomIn, ZoomOut } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'

import type { EmbeddingMap } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { useDark } from '../../../shared/ui/theme'
import { useSize } from '../../../shared/ui/use-size'
import type { Drawn } from './picture'
import { Pointed } from './pointed'
import type { Points } from './points'
import type { SpatialIndex } from './spatial-index'
import { useDrawing } from './use-drawing'
import { useMapKeys } from './use-map-keys'
import { type Drag, type How, isStill, type MapTool, type Resting, useMapPointer } from './use-map-pointer'
import { fitted, inside, type MapPoint, type MapSize, type MapView, nearest, nearestOfAll, rectangle, zoomed } from './view'

interface MapCanvasProps {
  map: EmbeddingMap
  points: Points
  index: SpatialIndex
  /** The place in `names` of each point's group. */
  groups: Uint16Array
  names: readonly string[]
  /** In whose order colours are given. */
  classes: readonly string[]
  tool: MapTool
  drawn: Drawn
  selected: Uint8Array | null
  onSelect: (found: Uint8Array, how: How) => void
  /** Opens the sample of a point. */
  onOpen: (point: number) => void
}

const step = 1.5

/** The points, to be moved, zoomed and selected. */
export function MapCanvas({ map, points, index, groups, names, classes, tool, drawn, selected, onSelect, onOpen }: MapCanvasProps) {
  const host = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useSize(host, 0)
  const dark = useDark()
  const [moved, setMoved] = useState<MapView | null>(null)
  const [keyed, setKeyed] = useState(false)
  const whole = fitted(index.bounds, size)
  const view = moved ?? whole
  const move = (change: (view: MapView) => MapView) => setMoved((before) => change(before ?? whole))
  const zoom = (factor: number, at: MapPoint = [size.width / 2, size.height / 2]) => move((before) => zoomed(before, factor, at, whole))
  const onDrawn = (drag: Drag) => {
    const found = choice(drag, index, view)
    if (found) onSelect(found, drag.how)
  }
  const { drag, pointer, forget, handlers } = useMapPointer({ tool, whole, onMove: move, onDrawn })
  useDrawing(canvas, size, view, { index, groups, names, classes, selected, drawn, dark })
  const pointed = drag ? null : pointedAt(index, view, pointer, keyed ? size : null)
  useWheel(canvas, zoom)
  useMapKeys(canvas, {
    move: (change) => {
      forget()
      move(change)
    },
    zoom: (closer) => zoom(closer ? step : 1 / step),
    showAll: () => setMoved(null),
    select: () => {
      if (pointed !== null) onSelect(only(index, pointed), selected?.[pointed] === 1 ? 'remove' : 'add')
    },
    open: () => {
      if (pointed !== null) onOpen(pointed)
    },
  })
  return (
    <div ref={host} className="map-stage">
      <canvas
        ref={canvas}
        className={`map-canvas ${tool}`}
        style={{ width: size.width, height: size.height }}
        // Its keys move and zoom; Tab leaves it, and selecting without a pointer is the legend's part.
        // eslint-disable-next-line jsx-a11y/no-interactive-element-to-noninteractive-role
        role="application"
        aria-label={`Map of ${plural(points.count, 'sample')}. Arrows move it, plus and minus zoom, Home shows all of it. Space selects the sample in the middle, Enter opens it. The legend selects by class.`}
        tabIndex={0}
        {...handlers}
        onFocus={({ currentTarget }) => setKeyed(currentTarget.matches(':focus-visible'))}
        onBlur={() => setKeyed(false)}
      />
      {drag && drag.tool !== 'pan' && drag.line.length > 1 && <DragLine drag={drag} />}
      {pointed !== null && <Pointed map={map} sample={points.sample[pointed] ?? 0} place={screenPlace(points, view, pointed)} size={size} spoken={pointer === null} tapped={pointer?.finger === true} />}
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

/** How far from a point a mouse and a finger still hit it, in px. */
const reach = { mouse: 8, finger: 24 }

/** The point under the pointer; without a pointer, the one nearest to the middle, which keys move. */
function pointedAt(index: SpatialIndex, view: MapView, pointer: Resting | null, keyed: MapSize | null): number | null {
  if (pointer !== null) return nearest(index, view, pointer.place, pointer.finger ? reach.finger : reach.mouse)
  return keyed && nearestOfAll(index, view, [keyed.width / 2, keyed.height / 2])
}

function screenPlace({ xy }: Points, view: MapView, point: number): MapPoint {
  return [(xy[2 * point] ?? 0) * view.scale + view.x, (xy[2 * point + 1] ?? 0) * view.scale + view.y]
}

/** A selection of one point. */
function only({ order }: SpatialIndex, point: number): Uint8Array {
  const found = new Uint8Array(order.length)
  found[point] = 1
  return found
}

/** What a gesture selects: the area it drew, or the one point that was clicked; null where it selects nothing. */
function choice(drag: Drag, index: SpatialIndex, view: MapView): Uint8Array | null {
  const { tool, line, finger } = drag
  const [first = [0, 0], last = first] = [line[0], line.at(-1)]
  if (isStill(drag)) {
    if (finger && tool === 'pan') return null // a tap shows the picture alone
    const hit = nearest(index, view, first, finger ? reach.finger : reach.mouse)
    return hit === null ? new Uint8Array(index.order.length) : only(index, hit)
  }
  if (tool === 'pan') return null
  return inside(index, view, tool === 'box' ? rectangle(first, last) : line)
}

const origin: MapPoint = [0, 0]

function DragLine({ drag: { tool, line } }: { drag: Drag }) {
  const border = tool === 'box' ? rectangle(line[0] ?? origin, line.at(-1) ?? origin) : line
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
