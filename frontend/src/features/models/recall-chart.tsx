import type { PointerEvent } from 'react'

import { classMark } from '../../shared/format/class-colours'
import { percent } from '../../shared/format/numbers'
import type { RecallCurve } from './recall-curves'

const size = { width: 520, height: 300, left: 48, right: 24, top: 12, bottom: 40 }
const [across, up] = [size.width - size.left - size.right, size.height - size.top - size.bottom]
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
  const onPointerMove = ({ currentTarget, clientX }: PointerEvent<SVGSVGElement>) => {
    const box = currentTarget.getBoundingClientRect()
    const x = ((clientX - box.left) / box.width) * size.width - size.left
    onPoint(Math.min(steps, Math.max(0, Math.round((x / across) * steps))))
  }
  return (
    <svg className="recall-chart" viewBox={`0 0 ${size.width} ${size.height}`} onPointerMove={onPointerMove} aria-hidden>
      {ticks.map((tick) => (
        <g key={tick}>
          <line className="grid" x1={size.left} x2={size.left + across} y1={yOf(tick)} y2={yOf(tick)} />
          <line className="grid" x1={xOf(tick)} x2={xOf(tick)} y1={size.top} y2={size.top + up} />
          <text x={size.left - 8} y={yOf(tick) + 4} textAnchor="end">
            {percent(tick, 0)}
          </text>
          <text x={xOf(tick)} y={size.height - 22} textAnchor="middle">
            {percent(tick, 0)}
          </text>
        </g>
      ))}
      <text x={size.left + across / 2} y={size.height - 4} textAnchor="middle">
        Recall
      </text>
      <line className="at" x1={xOf(at / steps)} x2={xOf(at / steps)} y1={size.top} y2={size.top + up} />
      {curves.map(({ name, precision, score }) => {
        const { colour } = classMark(classes, name)
        const reached = (score[at] ?? 0) > 0
        return (
          <g key={name} stroke={colour}>
            <path d={lineOf(precision, score)} strokeDasharray={dashesOf(classes, name)} />
            {reached && <circle cx={xOf(at / steps)} cy={yOf(precision[at] ?? 0)} r={4} fill={colour} />}
          </g>
        )
      })}
    </svg>
  )
}

function xOf(recall: number): number {
  return size.left + recall * across
}

function yOf(precision: number): number {
  return size.top + (1 - precision) * up
}

/** It ends where no further object is found at any score. */
function lineOf(precision: readonly number[], score: readonly number[]): string {
  const end = score.findIndex((one) => one <= 0)
  const points = precision.slice(0, end < 0 ? undefined : end).map((value, place) => `${xOf(place / (precision.length - 1)).toFixed(1)},${yOf(value).toFixed(1)}`)
  return points.length === 0 ? '' : `M${points.join('L')}`
}
