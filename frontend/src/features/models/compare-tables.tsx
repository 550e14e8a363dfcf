import type { ComparedMetric, ComparedVersions } from '../../shared/api/types'
import { count } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { Chip } from '../../shared/ui/chip'
import { deltaWords, figureWords, lossOf, metricWords, spanWords } from '../../tasktypes/metric-words'

/** What the whole test set says of both, with the interval of each difference. */
export function MetricTable({ found: { a, b, metrics } }: { found: ComparedVersions }) {
  const columns = ['Metric', { name: `v${a.version}`, number: true }, { name: `v${b.version}`, number: true }, { name: 'Change', number: true }, 'Verdict'] as const
  return (
    <section className="panel" aria-labelledby="compare-metrics">
      <div className="panel-head">
        <h2 id="compare-metrics" className="grow">
          Metrics
        </h2>
        <span className="quiet small">changes in points, with 95 % intervals</span>
      </div>
      <Table caption={`Metrics of v${a.version} and v${b.version}`} columns={columns} className="tight">
        {metrics.map((metric) => (
          <tr key={metric.name}>
            <th scope="row">{metricWords(metric.name)}</th>
            <td className="number">{figureWords(metric.name, metric.a)}</td>
            <td className="number">{figureWords(metric.name, metric.b)}</td>
            <td className="number">
              <Change metric={metric} />
            </td>
            <td>
              <Verdict metric={metric} a={a.version} b={b.version} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

function Change({ metric }: { metric: ComparedMetric }) {
  const span = spanWords(metric.name, metric.interval)
  const tone = metric.better === 'b' ? 'delta-good' : metric.better === 'a' ? 'delta-bad' : ''
  return (
    <>
      <strong className={tone}>{deltaWords(metric.name, metric.delta)}</strong>
      {span !== null && <span className="quiet small figure-interval">{span}</span>}
    </>
  )
}

/** Which is better, in words: the colour only repeats it. */
function Verdict({ metric: { better, interval, delta }, a, b }: { metric: ComparedMetric; a: number; b: number }) {
  if (better === 'b') return <Chip tone="ok">v{b} is better</Chip>
  if (better === 'a') return <Chip tone="bad">v{a} is better</Chip>
  if (delta === null) return null
  return <span className="quiet small">{interval === null ? 'no interval' : 'chance explains it'}</span>
}

interface Row {
  name: string
  samples: number | null
  metrics: ComparedMetric[]
  /** Why there are no figures. */
  missing: string | null
}

interface GroupTableProps {
  title: string
  /** What is counted of each. */
  counted?: string
  a: number
  b: number
  rows: Row[]
}

/** The change of each metric, by class or slice; the worst loss first. */
export function GroupTable({ title, counted = 'Samples', a, b, rows }: GroupTableProps) {
  const names = [...new Set(rows.flatMap(({ metrics }) => metrics.map(({ name }) => name)))]
  const worst = ({ metrics }: Row) => Math.max(0, ...metrics.map(lossOf))
  const sorted = [...rows].sort((one, other) => worst(other) - worst(one))
  const id = title.toLowerCase().replaceAll(' ', '-')
  const columns = [title.replace('By ', '').replace(/^./, (letter) => letter.toUpperCase()), { name: counted, number: true as const }, ...names.map((name) => ({ name: metricWords(name), number: true as const }))]
  return (
    <section className="panel" aria-labelledby={id}>
      <div className="panel-head">
        <h2 id={id} className="grow">
          {title}
        </h2>
        <span className="quiet small">
          v{a} → v{b}, the largest loss first
        </span>
      </div>
      {/* A scrolled region must be reachable by keyboard to be scrolled by it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="tall" role="region" aria-label={title} tabIndex={0}>
        <Table caption={`${title}: v${a} and v${b}`} columns={columns} className="tight">
          {sorted.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              <td className="number">{row.samples === null ? '–' : count(row.samples)}</td>
              {row.missing !== null && (
                <td colSpan={names.length} className="quiet small">
                  {row.missing}
                </td>
              )}
              {row.missing === null && names.map((name) => <GroupCell key={name} metric={row.metrics.find((each) => each.name === name)} />)}
            </tr>
          ))}
        </Table>
      </div>
    </section>
  )
}

function GroupCell({ metric }: { metric: ComparedMetric | undefined }) {
  if (!metric) return <td className="number">–</td>
  return (
    <td className="number">
      <span className="quiet">
        {figureWords(metric.name, metric.a)} → {figureWords(metric.name, metric.b)}
      </span>{' '}
      <Change metric={metric} />
    </td>
  )
}

/** What both cost: bytes and time. */
export function CostTable({ found: { a, b, costs } }: { found: ComparedVersions }) {
  const columns = ['File', 'Cost', { name: `v${a.version}`, number: true }, { name: `v${b.version}`, number: true }, { name: 'Change', number: true }] as const
  return (
    <section className="panel" aria-labelledby="compare-costs">
      <div className="panel-head">
        <h2 id="compare-costs">Size and speed</h2>
      </div>
      {costs.length === 0 ? (
        <p className="panel-body quiet">No size or speed was measured for either version.</p>
      ) : (
        <Table caption={`Costs of v${a.version} and v${b.version}`} columns={columns} className="tight">
          {costs.map((cost) => (
            <tr key={`${cost.artifact} ${cost.name}`}>
              <th scope="row" className="mono">
                {cost.artifact}
              </th>
              <td>{metricWords(cost.name)}</td>
              <td className="number">{figureWords(cost.name, cost.a)}</td>
              <td className="number">{figureWords(cost.name, cost.b)}</td>
              <td className="number">{deltaWords(cost.name, cost.delta, cost.a)}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
