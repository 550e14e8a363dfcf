import './charts.css'

import { useCallback, useMemo, useState } from 'react'
import type uPlot from 'uplot'

import { capital, count, percent } from '../format/numbers'
import { useDark } from '../ui/theme'
import { spread, toColumns, type Series, wholeSteps } from './series'
import { usePlot } from './use-plot'

const onLight = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#882255', '#E69F00']
const onDark = ['#56B4E9', '#D55E00', '#009E73', '#CC79A7', '#F0E442', '#E69F00']
/** Colour is never the only cue: each line has a dash of its own too. */
const dashes = [[], [8, 4], [2, 4], [12, 4, 2, 4], [4, 4], [16, 4]]

const chartHeight = 320
const labelGap = 16
/** px of the chart's width below which the legend alone names the lines: names at their ends would leave no room for them. */
const narrow = 520

interface CurveChartProps {
  title: string
  series: Series[]
  /** What the bands are. */
  bands: string
  /** A value that is aimed at, drawn across. */
  target?: number | null
  /** What is counted from left to right. */
  counted?: string
}

export function CurveChart({ title, series, bands, target = null, counted = 'labels' }: CurveChartProps) {
  const dark = useDark()
  const colours = dark ? onDark : onLight
  const [at, setAt] = useState<number | null>(null)
  const makeOptions = useCallback((host: HTMLElement) => options({ series, target, counted }, colours, host, setAt), [series, colours, target, counted])
  const data = useMemo<uPlot.AlignedData>(() => {
    const { labels, columns } = toColumns(series)
    return [labels, ...columns]
  }, [series])
  const host = usePlot(chartHeight, makeOptions, data)

  return (
    <figure className="curve" aria-label={title}>
      <div ref={host} aria-hidden />
      <figcaption className="curve-legend">
        {series.map((line, index) => (
          <span key={line.id} className="row">
            <svg width="28" height="8" aria-hidden>
              <line
                x1="0"
                x2="28"
                y1="4"
                y2="4"
                stroke={colours[index % colours.length]}
                strokeWidth="2.5"
                strokeDasharray={dashes[index % dashes.length]?.join(' ')}
              />
            </svg>
            <span>
              <strong>{line.name}</strong> <span className="quiet">{line.words}</span>
              {at !== null && <Reading line={line} labels={at} counted={counted} />}
            </span>
          </span>
        ))}
        <span className="quiet small">{bands}</span>
      </figcaption>
    </figure>
  )
}

function Reading({ line, labels, counted }: { line: Series; labels: number; counted: string }) {
  const point = line.points.find((each) => each.labels === labels)
  return point ? <span> · {percent(point.value, 2)} at {count(labels)} {counted}</span> : null
}

interface Drawn {
  series: Series[]
  target: number | null
  counted: string
}

function options({ series, target, counted }: Drawn, colours: string[], host: HTMLElement, onCursor: (labels: number | null) => void): Omit<uPlot.Options, 'width' | 'height'> {
  const style = getComputedStyle(host)
  const ink = style.getPropertyValue('--text-2')
  const grid = style.getPropertyValue('--line')
  const font = `12px ${style.getPropertyValue('--font')}`
  const axis: uPlot.Axis = { stroke: ink, font, labelFont: font, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } }
  return {
    padding: [12, () => (host.clientWidth < narrow ? 12 : 160), 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 9 }, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: { range: (_, low, high) => yRange(Math.min(low, target ?? low), Math.max(high, target ?? high)) } },
    axes: [
      { ...axis, label: capital(counted), labelSize: 20, size: 36, incrs: wholeSteps, values: (_, ticks) => ticks.map(count) },
      { ...axis, size: 64, values: (_, ticks) => ticks.map((tick) => percent(tick)) },
    ],
    series: [{}, ...series.flatMap((_, index) => lineAndBand(colours[index % colours.length] ?? ink, dashes[index % dashes.length] ?? []))],
    bands: series.map((_, index) => ({
      series: [index * 3 + 3, index * 3 + 2] as [number, number],
      fill: `${colours[index % colours.length] ?? ink}22`,
    })),
    hooks: {
      draw: [
        (chart) => {
          if (target !== null) drawTarget(chart, target, ink)
          if (host.clientWidth >= narrow) drawEndLabels(chart, series, { colours, ink, font })
        },
      ],
      setCursor: [(chart) => onCursor(typeof chart.cursor.idx === 'number' ? (chart.data[0][chart.cursor.idx] ?? null) : null)],
    },
  }
}

function lineAndBand(colour: string, dash: number[]): uPlot.Series[] {
  const edge: uPlot.Series = { stroke: 'transparent', width: 0, spanGaps: true, points: { show: false } }
  return [{ stroke: colour, width: 2.5, dash, spanGaps: true, points: { show: true, size: 7, fill: colour } }, edge, edge]
}

function yRange(low: number, high: number): [number, number] {
  const room = Math.max(0.01, (high - low) * 0.08)
  return [Math.max(0, low - room), Math.min(1, high + room)]
}

function drawTarget(chart: uPlot, target: number, ink: string): void {
  const { ctx: context, bbox } = chart
  const y = chart.valToPos(target, 'y', true)
  context.save()
  context.strokeStyle = ink
  context.lineWidth = devicePixelRatio
  context.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio])
  context.beginPath()
  context.moveTo(bbox.left, y)
  context.lineTo(bbox.left + bbox.width, y)
  context.stroke()
  context.restore()
}

interface Pens {
  colours: string[]
  ink: string
  font: string
}

/** The name and last value at the end of each line, so that nobody has to match colours with a legend. */
function drawEndLabels(chart: uPlot, series: Series[], { colours, ink, font }: Pens): void {
  const ratio = devicePixelRatio
  const ends = series.flatMap((line, index) => {
    const last = line.points.at(-1)
    if (!last) return []
    return [{ line, last, index, x: chart.valToPos(last.labels, 'x', true), y: chart.valToPos(last.value, 'y', true) }]
  })
  const heights = spread(ends.map((end) => end.y), labelGap * ratio)
  const context = chart.ctx
  context.save()
  context.font = font.replace('12px', `${12 * ratio}px`)
  context.textBaseline = 'middle'
  context.textAlign = 'left'
  ends.forEach(({ line, last, index, x }, place) => {
    const y = heights[place] ?? 0
    context.fillStyle = colours[index % colours.length] ?? ink
    context.fillRect(x + 8 * ratio, y - 4 * ratio, 4 * ratio, 8 * ratio)
    context.fillStyle = ink
    context.fillText(`${shortened(line.name)} ${percent(last.value)}`, x + 16 * ratio, y)
  })
  context.restore()
}

function shortened(name: string): string {
  return name.length > 14 ? `${name.slice(0, 13)}…` : name
}
