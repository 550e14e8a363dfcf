import { count, milliseconds, percent, rate } from '../../shared/format/numbers'
import { accuracy, calibration, type Figure, figure } from './evaluation'
import { number, type JsonRecord, record } from './reading'

/** What the whole test set says, each with its 95 % interval where the evaluation has one. */
export function Headline({ metrics }: { metrics: JsonRecord }) {
  const latency = record(metrics.latency_ms)
  const samples = number(metrics.samples)
  return (
    <dl className="panel headline" aria-label="Evaluation">
      <Cell name="Accuracy" figure={accuracy(metrics)} note={samples === null ? undefined : `of ${count(samples)} samples`} />
      <Cell name="Top 5" figure={figure(metrics, 'top5')} />
      <Cell name="Macro F1" figure={figure(metrics, 'macro_f1')} />
      <Cell name="Loss" figure={figure(metrics, 'loss')} words={(value) => value.toFixed(3)} />
      <Cell name="Calibration error" figure={figure(metrics, 'ece')} note={calibrated(metrics)} />
      <Cell name="One image" figure={plain(latency.p50)} words={milliseconds} note={slowest(latency.p95)} />
      <Cell name="Throughput" figure={plain(record(metrics.images_per_second).evaluate)} words={(value) => rate(value, 'images')} />
    </dl>
  )
}

interface CellProps {
  name: string
  figure: Figure
  words?: (value: number) => string
  note?: string | undefined
}

function Cell({ name, figure: { value, interval }, words = percent, note }: CellProps) {
  if (value === null) return null
  return (
    <div>
      <dt className="quiet small">{name}</dt>
      <dd className="headline-value">{words(value)}</dd>
      {interval && (
        <dd className="quiet small">
          {words(interval[0])} to {words(interval[1])}
        </dd>
      )}
      {note !== undefined && <dd className="quiet small">{note}</dd>}
    </div>
  )
}

function plain(value: unknown): Figure {
  return { value: number(value), interval: null }
}

function slowest(p95: unknown): string | undefined {
  const value = number(p95)
  return value === null ? undefined : `95 % within ${milliseconds(value)}`
}

function calibrated(metrics: JsonRecord): string | undefined {
  const found = calibration(metrics)
  if (!found) return 'no temperature was fitted'
  return found.after === null ? undefined : `${percent(found.after)} at temperature ${found.temperature.toFixed(2)}`
}
