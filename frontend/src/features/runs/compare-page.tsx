import './runs.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'

import type { ComparedRuns } from '../../shared/api/types'
import { figureWords, lowerIsBetter, metricWords } from '../../tasktypes/metric-words'
import { Table } from '../../shared/lists/table'
import { JobChip } from '../../shared/ui/job-chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { comparedCharts } from './curves'
import { comparedRunsQuery } from './queries'
import { RunChart } from './run-chart'

/** Runs side by side: what they were told, how they learned, what came out. */
export function CompareRunsPage() {
  const { ids } = useSearch({ from: '/inside/runs/compare' })
  const compared = useQuery({ ...comparedRunsQuery(ids ?? ''), enabled: ids !== undefined })
  return (
    <div className="page">
      <h1>Compare runs</h1>
      {ids === undefined && (
        <Empty
          action={
            <Link to="/models" className="button primary">
              To the models
            </Link>
          }
        >
          No runs are chosen. Tick two or more on a model&rsquo;s page.
        </Empty>
      )}
      {ids !== undefined && compared.isPending && <Skeleton height={480} />}
      {compared.isError && !compared.data && (
        <Failure
          what="The runs could not be compared"
          error={compared.error}
          retry={() => void compared.refetch()}
          elsewhere={<Link to="/runs" className="button">To the runs</Link>}
        />
      )}
      {compared.data && <Compared found={compared.data} />}
    </div>
  )
}

function Compared({ found }: { found: ComparedRuns }) {
  const { runs, series, metrics } = found
  const charts = useMemo(() => comparedCharts({ series, names: runs.map(({ id }) => `run ${id}`) }), [series, runs])
  const heads = ['Figure', ...runs.map(({ id }) => `Run ${id}`)]
  return (
    <>
      <section className="panel" aria-labelledby="compared-results">
        <div className="panel-head">
          <h2 id="compared-results">Results</h2>
        </div>
        <Table caption="Results of the runs" columns={heads}>
          <tr>
            <th scope="row">State</th>
            {runs.map((run) => (
              <td key={run.id}>
                <span className="row wrap">
                  <JobChip state={run.job.state} />
                  <Link to="/runs/$id" params={{ id: String(run.id) }}>
                    Run {run.id}
                  </Link>
                </span>
              </td>
            ))}
          </tr>
          <tr>
            <th scope="row">Model version</th>
            {runs.map((run) => (
              <td key={run.id}>
                {run.model_version === null ? (
                  '–'
                ) : (
                  <Link to="/models/$model/$version" params={{ model: run.model, version: String(run.model_version) }}>
                    {run.model} v{run.model_version}
                  </Link>
                )}
              </td>
            ))}
          </tr>
          {metrics.map(({ name, values }) => (
            <tr key={name}>
              <th scope="row">{metricWords(name)}</th>
              {values.map((value, place) => (
                <td key={runs[place]?.id}>
                  {value !== null && value === best(name, values) ? <strong>{figureWords(name, value)} (best)</strong> : figureWords(name, value)}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      </section>
      <section className="panel" aria-labelledby="compared-curves">
        <div className="panel-head">
          <h2 id="compared-curves">Curves</h2>
        </div>
        {charts.length === 0 ? (
          <Empty>No metrics yet.</Empty>
        ) : (
          <div className="panel-body run-charts">
            {charts.map((chart) => (
              <RunChart key={chart.title} chart={chart} />
            ))}
          </div>
        )}
      </section>
      <Settings found={found} heads={heads} />
    </>
  )
}

/** The best of several values; null where all are the same or there is one alone. */
function best(name: string, values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  if (new Set(known).size < 2) return null
  return lowerIsBetter(name) ? Math.min(...known) : Math.max(...known)
}

function told(value: unknown): string {
  if (value === null || value === undefined) return '–'
  if (typeof value === 'number') return String(Number(value.toPrecision(4)))
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function Settings({ found: { config, runs }, heads }: { found: ComparedRuns; heads: readonly string[] }) {
  const [all, setAll] = useState(false)
  const shown = all ? config : config.filter(({ same }) => !same)
  return (
    <section className="panel" aria-labelledby="compared-settings">
      <div className="panel-head">
        <h2 id="compared-settings" className="grow">
          Settings
        </h2>
        <label className="check">
          <input type="checkbox" checked={all} onChange={({ target }) => setAll(target.checked)} />
          also what is the same
        </label>
      </div>
      {shown.length === 0 ? (
        <p className="panel-body quiet">All have the same settings.</p>
      ) : (
        <Table caption="Settings of the runs" columns={heads}>
          {shown.map(({ name, values }) => (
            <tr key={name}>
              <th scope="row" className="mono">
                {name}
              </th>
              {values.map((value, place) => (
                <td key={runs[place]?.id} className="mono">
                  {told(value)}
                </td>
              ))}
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
