import { useCallback, useMemo } from 'react'
import type uPlot from 'uplot'

import { usePlot } from '../../shared/charts/use-plot'
import { count } from '../../shared/format/numbers'
import { useDark } from '../../shared/ui/theme'
import type { Chart } from './curves'

const colours = {
  light: ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#882255'],
  dark: ['#56B4E9', '#D55E00', '#009E73', '#CC79A7', '#F0E442'],
}
/** Colour is never the only cue: each line has a dash of its own too. */
const dashes = [[], [8, 4], [2, 4], [12, 4, 2, 4], [4, 4], [16, 4]]
const height = 180

/** A chart that grows while the run goes on, with the newest values in words. */
export function RunChart({ chart }: { chart: Chart }) {
  const dark = useDark()
  const palette = dark ? colours.dark : colours.light
  const lines = chart.lines.length
  const makeOptions = useCallback((host: HTMLElement) => options(lines, palette, host), [lines, palette])
  const data = useMemo<uPlot.AlignedData>(() => [chart.steps, ...chart.lines.map(({ values }) => values)], [chart])
  const host = usePlot(height, makeOptions, data)

  return (
    <figure className="run-chart" aria-label={chart.title}>
      <figcaption className="row wrap">
        <h3 className="grow">{chart.title}</h3>
        {chart.lines.map((line, index) => (
          <span key={line.name} className="row small">
            <svg width="24" height="8" aria-hidden>
              <line x1="0" x2="24" y1="4" y2="4" stroke={palette[index % palette.length]} strokeWidth="2.5" strokeDasharray={dashes[index % dashes.length]?.join(' ')} />
            </svg>
            <span>
              {line.name} <strong>{reading(line.values.findLast((value) => value !== null) ?? null)}</strong>
            </span>
          </span>
        ))}
      </figcaption>
      <div ref={host} aria-hidden />
    </figure>
  )
}

function reading(value: number | null): string {
  if (value === null) return '–'
  return Math.abs(value) >= 100 ? count(value) : Number(value.toPrecision(3)).toString()
}

function options(lines: number, palette: readonly string[], host: HTMLElement): Omit<uPlot.Options, 'width' | 'height'> {
  const style = getComputedStyle(host)
  const grid = style.getPropertyValue('--line')
  const axis: uPlot.Axis = {
    stroke: style.getPropertyValue('--text-2'),
    font: `11px ${style.getPropertyValue('--font')}`,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
  }
  return {
    padding: [8, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
    scales: { x: { time: false } },
    axes: [
      { ...axis, size: 28, values: (_, ticks) => ticks.map(count) },
      { ...axis, size: 56, values: (_, ticks) => ticks.map(reading) },
    ],
    series: [
      {},
      ...Array.from({ length: lines }, (_, index) => ({
        stroke: palette[index % palette.length] ?? '',
        width: 2,
        dash: dashes[index % dashes.length] ?? [],
        spanGaps: true,
        // The chart shows them by itself while there is room, so that a first value is seen before there is a line.
        points: { size: 5, fill: palette[index % palette.length] ?? '' },
      })),
    ],
  }
}
