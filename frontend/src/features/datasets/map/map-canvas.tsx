import { Maximize, ZoomIn, ZoomOut } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'

import { classMark } from '../../../shared/format/class-colours'
import { plural } from '../../../shared/format/numbers'
import { useDark } from '../../../shared/ui/theme'
import { useSize } from '../use-size'
import type { Points } from './points'
import { type Mark, type Picture, pixelOf, rasterise } from './raster'
import { fitted, inside, nearest, panned, type Place, rectangle, type View, zoomed } from './view'

export type Tool = 'pan' | 'lasso' | 'box'

interface MapCanvasProps {
  points: Points
  /** The place in `names` of each point's group. */
  groups: Uint16Array
  names: readonly string[]
  /** In whose order colours are given. */
  classes: readonly string[]
  tool: Tool
  selected: Uint8Array | null
  onSelect: (found: Uint8Array, how: 'only' | 'add' | 'remove') => void
}

interface Drag {
  tool: Tool
  line: Place[]
  how: 'only' | 'add' | 'remove'
}

const step = 1.5
const corner: Place = [0, 0]
const arrows: Record<string, Place> = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }

/** The points, to be moved, zoomed and selected. */
export function MapCanvas({ points, groups, names, classes, tool, selected, onSelect }: MapCanvasProps) {
  const host = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLCanvasElement>(null)
  const size = useSize(host)
  const dark = useDark()
  const [moved, setMoved] = useState<View | null>(null)
  const [drag, setDrag] = useState<Drag | null>(null)
  const whole = fitted(points.xy, size)
  const view = moved ?? whole
  useDrawing(canvas, size, view, { points, groups, names, classes, selected, dark })
  useWheel(canvas, (factor, at) => setMoved(zoomed(view, factor, at, whole)))

  const zoom = (factor: number) => setMoved(zoomed(view, factor, [size.width / 2, size.height / 2], whole))
  const onKeyDown = (event: KeyboardEvent) => {
    const arrow = arrows[event.key]
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (arrow) setMoved(panned(view, ...arrow))
    else if (event.key === '+' || event.key === '=') zoom(step)
    else if (event.key === '-') zoom(1 / step)
    else if (event.key === '0') setMoved(null)
    else return
    event.preventDefault()
  }
  const onPointerDown = (event: PointerEvent<HTMLCanvasElement>) => {
    if (event.button > 1) return
    event.currentTarget.setPointerCapture(event.pointerId)
    const how = event.altKey ? 'remove' : event.shiftKey ? 'add' : 'only'
    setDrag({ tool: event.button === 1 ? 'pan' : tool, line: [placeOf(event)], how })
  }
  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>) => {
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
        aria-label={`Map of ${plural(points.count, 'sample')}. Arrows move it, plus and minus zoom, 0 shows all of it. The legend selects by class.`}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => setDrag(null)}
      />
      {drag && drag.tool !== 'pan' && drag.line.length > 1 && <DragLine drag={drag} />}
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

function placeOf({ nativeEvent: { offsetX, offsetY } }: PointerEvent): Place {
  return [offsetX, offsetY]
}

const clickReach = 4

/** What a gesture selects: the area it drew, or the one point that was clicked; null where it selects nothing. */
function choice({ tool, line }: Drag, points: Points, view: View): Uint8Array | null {
  const [first, last]: [Place, Place] = [line[0] ?? corner, line.at(-1) ?? corner]
  const still = line.every(([x, y]) => Math.hypot(x - first[0], y - first[1]) < clickReach)
  if (still) {
    const hit = nearest(points.xy, view, first)
    const found = new Uint8Array(points.count)
    if (hit !== null) found[hit] = 1
    return found
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

/** Few points are large enough to hit, many small enough to tell apart. */
function radiusFor(count: number): number {
  return count > 20_000 ? 1.5 : count > 2_000 ? 3 : 4
}

interface Drawing {
  points: Points
  groups: Uint16Array
  names: readonly string[]
  classes: readonly string[]
  selected: Uint8Array | null
  dark: boolean
}

/** Draws once a frame at most, however often the view changes in it. */
function useDrawing(canvas: React.RefObject<HTMLCanvasElement | null>, { width, height }: { width: number; height: number }, view: View, drawing: Drawing): void {
  const { points, groups, names, classes, selected, dark } = drawing
  const image = useRef<ImageData | null>(null)
  useEffect(() => {
    const element = canvas.current
    if (!element || width === 0 || height === 0) return
    const frame = requestAnimationFrame(() => {
      const ratio = Math.min(2, window.devicePixelRatio || 1)
      const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)]
      if (element.width !== wide || element.height !== high) [element.width, element.height] = [wide, high]
      const context = element.getContext('2d', { alpha: false })
      if (!context) return
      if (image.current?.width !== wide || image.current.height !== high) image.current = context.createImageData(wide, high)
      const sharp = { scale: view.scale * ratio, x: view.x * ratio, y: view.y * ratio }
      rasterise(new Uint32Array(image.current.data.buffer), { width: wide, height: high }, sharp, {
        ...inks(element, names, classes, dark),
        xy: points.xy,
        groups,
        selected,
        radius: Math.round(radiusFor(points.count) * ratio),
      })
      context.putImageData(image.current, 0, 0)
    })
    return () => cancelAnimationFrame(frame)
  }, [canvas, width, height, view.scale, view.x, view.y, points, groups, names, classes, selected, dark])
}

function inks(element: HTMLElement, names: readonly string[], classes: readonly string[], dark: boolean): Pick<Picture, 'marks' | 'faint' | 'ground'> {
  const style = getComputedStyle(element)
  const mark = (name: string): Mark => {
    const { colour, pattern } = classMark(classes, name)
    return { colour: pixelOf(colour), form: pattern }
  }
  return {
    marks: [...names.map(mark), { colour: pixelOf(style.getPropertyValue('--text-3')), form: 0 }],
    faint: pixelOf(dark ? '#3a424e' : '#cfd5dc'),
    ground: pixelOf(style.getPropertyValue('--surface')),
  }
}

/** A wheel listener must be allowed to stop the page from scrolling, which React's own is not. */
function useWheel(canvas: React.RefObject<HTMLCanvasElement | null>, onZoom: (factor: number, at: Place) => void): void {
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
