import { type PointerEvent, useEffect, useRef, useState } from 'react'

import { classMark } from '../../shared/format/class-colours'
import { percent } from '../../shared/format/numbers'
import type { RecallCurve } from './recall-curves'

const height = 280
const room = { left: 48, right: 24, top: 12, bottom: 40 }
const up = height - room.top - room.bottom
/** px, until the page has said how wide it is; never narrower than what the axis needs. */
const width = { first: 520, least: 200 }
const ticks = [0, 0.25, 0.5, 0.75, 1]
/** Colour is never the only cue. */
const dashes = ['', '8 4', '2 4', '12 4 2 4', '4 4', '16 4', '8 2 2 2', '1 3']

export function dashesOf(classes: readonly string[], name: string): string {
  return dashes[Math.max(0, classes.indexOf(name)) % dashes.length] ?? ''
}

interface RecallChartProps {
  curves: readonly RecallCurve[]
  classes: readonly string[]
  /** The recall that is read, as a place in the curves. */
  at: number
  onPoint: (at: number) => void
}

/** A line for each class, as far as its objects are found; the pointer moves what is read. */
export function RecallChart({ curves, classes, at, onPoint }: RecallChartProps) {
  const steps = (curves[0]?.precision.length ?? 1) - 1
  const [host, wide] = useWidth()
  const across = wide - room.left - room.right
  const xOf = (recall: number) => room.left + recall * across
  const onPointerMove = ({ currentTarget, clientX }: PointerEvent<SVGSVGElement>) => {
    const x = clientX - currentTarget.getBoundingClientRect().left - room.left
    onPoint(Math.min(steps, Math.max(0, Math.round((x / across) * steps))))
  }
  return (
    <svg ref={host} className="recall-chart" viewBox={`0 0 ${wide} ${height}`} height={height} onPointerMove={onPointerMove} aria-hidden>
      {ticks.map((tick) => (
        <g key={tick}>
          <line className="grid" x1={room.left} x2={room.left + across} y1={yOf(tick)} y2={yOf(tick)} />
          <line className="grid" x1={xOf(tick)} x2={xOf(tick)} y1={room.top} y2={room.top + up} />
          <text x={room.left - 8} y={yOf(tick) + 4} textAnchor="end">
            {percent(tick, 0)}
          </text>
          <text x={xOf(tick)} y={height - 22} textAnchor="middle">
            {percent(tick, 0)}
          </text>
        </g>
      ))}
      <text x={room.left + across / 2} y={height - 4} textAnchor="middle">
        Recall
      </text>
      <line className="at" x1={xOf(at / steps)} x2={xOf(at / steps)} y1={room.top} y2={room.top + up} />
      {curves.map(({ name, precision, score }) => {
        const { colour } = classMark(classes, name)
        const reached = (score[at] ?? 0) > 0
        return (
          <g key={name} stroke={colour}>
            <path d={lineOf(precision, score, xOf)} strokeDasharray={dashesOf(classes, name)} />
            {reached && <circle cx={xOf(at / steps)} cy={yOf(precision[at] ?? 0)} r={4} fill={colour} />}
          </g>
        )
      })}
    </svg>
  )
}

/** How wide the page lets the chart be. */
function useWidth() {
  const host = useRef<SVGSVGElement>(null)
  const [wide, setWide] = useState(width.first)
  useEffect(() => {
    const element = host.current
    if (!element) return
    const observer = new ResizeObserver(() => setWide(Math.max(width.least, element.clientWidth)))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [host, wide] as const
}

function yOf(precision: number): number {
  return room.top + (1 - precision) * up
}

/** It ends where no further object is found at any score. */
function lineOf(precision: readonly number[], score: readonly number[], xOf: (recall: number) => number): string {
  const end = score.findIndex((one) => one <= 0)
  const points = precision.slice(0, end < 0 ? undefined : end).map((value, place) => `${xOf(place / (precision.length - 1)).toFixed(1)},${yOf(value).toFixed(1)}`)
  return points.length === 0 ? '' : `M${points.join('L')}`
}
