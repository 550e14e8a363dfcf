import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import type { Histogram, MiningJob } from '../../shared/api/types'
import { count, plural } from '../../shared/format/numbers'
import { Chip } from '../../shared/ui/chip'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { barsOf, cutPlace } from './bars'
import { CutSlider, CutWords } from './cut-slider'
import { figure } from './explanation'
import { histogramQuery } from './queries'

const width = 600
const height = 160

interface HistogramPanelProps {
  job: MiningJob
  /** From which score on picks are wanted, where somebody moved the cut. */
  cut: number | null
  /** Where the cut may still be moved. */
  onCut?: (score: number | null) => void
}

/** How the scores spread over the pool, while it is scored and after, and where the picks are cut. */
export function HistogramPanel({ job, cut, onCut }: HistogramPanelProps) {
  const histogram = useQuery(histogramQuery(job))
  const movable = onCut !== undefined && histogram.data?.cut != null && histogram.data.picked.length > 1
  return (
    <section className="panel" aria-labelledby="scores">
      <div className="panel-head">
        <h2 id="scores" className="grow">
          Scores of the pool
        </h2>
        {histogram.data?.live && <Chip tone="live">live</Chip>}
      </div>
      <div className="panel-body">
        {histogram.isPending && <Skeleton height={height} />}
        {histogram.isError && !histogram.data && <Failure what="The histogram could not be loaded" error={histogram.error} />}
        {histogram.data === null && <p className="quiet">{job.job.state === 'succeeded' ? 'This strategy compares images with each other: none has a score of its own.' : 'No sample is scored yet.'}</p>}
        {histogram.data && <Bars histogram={{ ...histogram.data, cut: cut ?? histogram.data.cut }}>{movable && <CutSlider histogram={histogram.data} cut={cut} onCut={onCut} />}</Bars>}
        {histogram.data && movable && <CutWords picked={histogram.data.picked} cut={cut} control={controls(job, histogram.data.picked.length)} onCut={onCut} />}
      </div>
    </section>
  )
}

function controls({ stats, count: wanted }: MiningJob, own: number): number {
  return Math.max(0, (typeof stats.picked === 'number' ? stats.picked : wanted) - own)
}

/** `children` lie over the bars. */
function Bars({ histogram, children }: { histogram: Histogram; children: ReactNode }) {
  const bars = barsOf(histogram)
  const place = cutPlace(histogram)
  const step = width / Math.max(1, bars.length)
  const score = histogram.score.replaceAll('_', ' ')
  const all = bars.reduce((sum, bar) => sum + bar.count, 0)
  const [first, last] = [histogram.edges[0] ?? 0, histogram.edges.at(-1) ?? 0]
  const words = `${score} of ${plural(all, 'sample')}, from ${figure(first)} to ${figure(last)}${histogram.cut === null ? '' : `; picked from ${figure(histogram.cut)} on`}`
  return (
    <figure className="histogram">
      <div className="histogram-bars">
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={words}>
          {bars.map((bar, index) => (
            <rect key={index} className={bar.above ? 'above' : ''} x={index * step + 0.5} width={Math.max(0.5, step - 1)} y={height - barHeight(bar.height)} height={barHeight(bar.height)}>
              <title>
                {figure(bar.low)} to {figure(bar.high)}: {count(bar.count)}
              </title>
            </rect>
          ))}
          {place !== null && <line className="cut-line" x1={place * width} x2={place * width} y1={0} y2={height} />}
        </svg>
        {children}
      </div>
      <figcaption className="row small">
        <span className="quiet">{figure(first)}</span>
        <span className="grow histogram-words">
          {score}
          {histogram.cut !== null && (
            <>
              {' '}
              · <strong>cut at {figure(histogram.cut)}</strong>
            </>
          )}{' '}
          · {plural(all, 'sample')} <span className="quiet">(heights are logarithms)</span>
        </span>
        <span className="quiet">{figure(last)}</span>
      </figcaption>
    </figure>
  )
}

/** A single sample among a million is still seen. */
function barHeight(share: number): number {
  return share === 0 ? 0 : Math.max(2, share * (height - 8))
}
