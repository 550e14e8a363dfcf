import { count, milliseconds, percent, plural, rate } from '../../shared/format/numbers'
import type { Judging } from '../../tasktypes'
import { figureWords } from '../../tasktypes/metric-words'
import { calibration, type Figure, figure } from './evaluation'
import { number, type JsonRecord, record } from './reading'

/** What the whole test set says, each with its 95 % interval where the evaluation has one. */
export function Headline({ metrics, judging }: { metrics: JsonRecord; judging: Judging }) {
  const latency = record(metrics.latency_ms)
  const samples = number(metrics.samples)
  const objects = number(metrics.objects)
  const notes: Record<string, string | undefined> = {
    ece: calibrated(metrics),
    ...(samples === null ? {} : { [judging.headline]: `of ${objects === null ? '' : `${count(objects)} objects in `}${plural(samples, objects === null ? 'sample' : 'image')}` }),
  }
  return (
    <dl className="panel headline" aria-label="Evaluation">
      {judging.figures.map(({ name, title }) => (
        <Cell key={name} name={title} figure={figure(metrics, name)} none={name in metrics ? nothing(judging, name) : undefined} words={name === judging.headline ? percent : (value) => figureWords(name, value)} note={notes[name]} />
      ))}
      <Cell name="Classes a sample" figure={plain(metrics.named_a_sample)} words={(value) => value.toFixed(2)} note={truly(metrics.classes_a_sample)} />
      <Cell name="One image" figure={plain(latency.p50)} words={milliseconds} note={slowest(latency.p95)} />
      <Cell name="Throughput" figure={plain(record(metrics.images_per_second).evaluate)} words={(value) => rate(value, 'images')} />
    </dl>
  )
}

interface CellProps {
  name: string
  figure: Figure
  words: (value: number) => string
  /** Why it has no value, where it was asked for. */
  none?: string | undefined
  note?: string | undefined
}

function Cell({ name, figure: { value, interval }, words, none, note }: CellProps) {
  if (value === null && none === undefined) return null
  return (
    <div>
      <dt className="quiet small">{name}</dt>
      <dd className="headline-value">{value === null ? '–' : words(value)}</dd>
      {value === null && <dd className="quiet small">{none}</dd>}
      {interval && (
        <dd className="quiet small">
          {words(interval[0])} to {words(interval[1])}
        </dd>
      )}
      {note !== undefined && <dd className="quiet small">{note}</dd>}
    </div>
  )
}

function nothing({ objects }: Judging, name: string): string {
  if (objects === undefined) return 'not measured'
  return name === 'precision' ? 'no box at its threshold' : 'no such objects'
}

function plain(value: unknown): Figure {
  return { value: number(value), interval: null }
}

function slowest(p95: unknown): string | undefined {
  const value = number(p95)
  return value === null ? undefined : `95 % within ${milliseconds(value)}`
}

function truly(classes: unknown): string | undefined {
  const value = number(classes)
  return value === null ? undefined : `${value.toFixed(2)} in truth`
}

function calibrated(metrics: JsonRecord): string | undefined {
  const found = calibration(metrics)
  if (!found) return 'not calibrated'
  return found.after === null ? undefined : `${percent(found.after)} at temperature ${found.temperature.toFixed(2)}`
}
