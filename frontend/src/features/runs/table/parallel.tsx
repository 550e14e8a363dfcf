import { useRef, useState, type PointerEvent } from 'react'

import { useSize } from '../../../shared/ui/use-size'
import { axisOf, type Axis } from './axes'
import type { RunColumn } from './columns'
import { fits, within, type Range } from './ranges'

const height = 300
const top = 40
const bottom = 24
const side = 64
/** px between axes below which the chart scrolls sideways. */
const closest = 110
/** px that a pointer has to move to choose a part of an axis rather than to take a choice back. */
const drag = 4
/** px beside what was drawn that still count: nobody hits the end of an axis. */
const slack = 5
const room = height - top - bottom

interface ParallelProps {
  columns: readonly RunColumn[]
  runs: readonly number[]
  /** The places of those that the table shows. */
  shown: readonly number[]
  ranges: readonly Range[]
  /** The place of a run that is looked at. */
  looked: number | null
  onLook: (place: number | null) => void
  /** Null: any value goes. */
  onRange: (column: string, range: Range | null) => void
  /** What they are, where they are no runs. */
  noun?: string
}

/** A line for each run, across an axis for each column, the stronger the better its first result; dragging along an axis chooses a part of it. */
export function Parallel({ columns, runs, shown, ranges, looked, onLook, onRange, noun = 'runs' }: ParallelProps) {
  const host = useRef<HTMLDivElement>(null)
  const width = Math.max(useSize(host).width, 2 * side + (columns.length - 1) * closest)
  const axes = columns.map(axisOf)
  const x = (index: number) => (axes.length === 1 ? width / 2 : side + (index * (width - 2 * side)) / (axes.length - 1))
  const y = (at: number | null) => (at === null ? height - 6 : top + (1 - at) * room)
  const inside = new Set(shown)
  const judge = axes.find(({ column }) => column.isResult && column.isNumber)
  const path = (place: number) => axes.map(({ column, place: at }, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)} ${y(at(column.values[place] ?? null)).toFixed(1)}`).join('')
  const good = (place: number) => {
    const at = judge?.place(judge.column.values[place] ?? null) ?? null
    return at === null ? 0 : judge?.column.lowerIsBetter ? 1 - at : at
  }
  const order = runs.map((_, place) => place).sort((a, b) => Number(inside.has(a)) - Number(inside.has(b)) || good(a) - good(b))
  return (
    <div ref={host} className="parallel table-scroll">
      <svg width={width} height={height} role="img" aria-label={`${shown.length} ${noun} over ${axes.length} axes: ${columns.map(({ title }) => title).join(', ')}`}>
        {order.map((place) => (
          <path
            key={runs[place]}
            d={path(place)}
            className={`parallel-line ${inside.has(place) ? '' : 'out'} ${looked === place ? 'looked' : ''}`}
            style={inside.has(place) && looked !== place ? { stroke: `color-mix(in oklab, var(--accent) ${Math.round(20 + 80 * good(place))}%, var(--line-strong))` } : undefined}
            onPointerEnter={() => inside.has(place) && onLook(place)}
            onPointerLeave={() => onLook(null)}
          />
        ))}
        {axes.map((axis, index) => (
          <AxisMark key={axis.column.id} axis={axis} x={x(index)} y={y} range={ranges.find(({ column }) => column === axis.column.id) ?? null} onRange={(range) => onRange(axis.column.id, range)} />
        ))}
      </svg>
    </div>
  )
}

interface AxisMarkProps {
  axis: Axis
  x: number
  y: (at: number | null) => number
  range: Range | null
  onRange: (range: Range | null) => void
}

function AxisMark({ axis, x, y, range, onRange }: AxisMarkProps) {
  const [drawn, setDrawn] = useState<readonly [number, number] | null>(null)
  const place = (event: PointerEvent<SVGRectElement>) => Math.min(1, Math.max(0, 1 - (event.clientY - event.currentTarget.getBoundingClientRect().top) / room))
  const begin = (event: PointerEvent<SVGRectElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    setDrawn([place(event), place(event)])
  }
  const end = () => {
    if (!drawn) return
    const [low, high] = [Math.min(...drawn), Math.max(...drawn)]
    onRange((high - low) * room < drag ? null : within(axis, low - slack / room, high + slack / room))
    setDrawn(null)
  }
  const marked = drawn ?? (range === null ? null : spanOf(axis, range))
  const { column, ticks } = axis
  return (
    <g className="parallel-axis">
      <text x={x} y={14} textAnchor="middle" className="parallel-title">
        {short(column.title)}
        <title>{column.id}</title>
      </text>
      <line x1={x} x2={x} y1={top} y2={top + room} />
      {ticks.map(({ at, words }) => (
        <text key={words} x={x + 8} y={y(at)} dy={ticks.length <= 2 ? (at >= 0.99 ? -6 : at <= 0.01 ? 12 : 4) : 4} className="parallel-tick">
          {short(words)}
        </text>
      ))}
      {marked && <rect className="parallel-range" x={x - 7} width={14} y={y(Math.max(...marked)) - 3} height={Math.abs(y(marked[0]) - y(marked[1])) + 6} />}
      <rect
        className="parallel-grip"
        x={x - 14}
        width={28}
        y={top}
        height={room}
        onPointerDown={begin}
        onPointerMove={(event) => drawn && setDrawn([drawn[0], place(event)])}
        onPointerUp={end}
        onPointerCancel={() => setDrawn(null)}
      />
    </g>
  )
}

/** Where what is chosen lies on an axis. */
function spanOf({ column, place }: Axis, range: Range): [number, number] | null {
  const inside = column.values.filter((value) => fits(range, value)).map((value) => place(value) ?? 0)
  return inside.length === 0 ? null : [Math.min(...inside), Math.max(...inside)]
}

const longest = 16

function short(words: string): string {
  return words.length <= longest ? words : `…${words.slice(1 - longest)}`
}
