import './pipelines.css'

import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useMemo } from 'react'

import type { Curve, Pipeline } from '../../shared/api/types'
import { CurveChart } from '../../shared/charts/curve-chart'
import { CurveTable } from '../../shared/charts/curve-table'
import { labelsSaved, type Series } from '../../shared/charts/series'
import { count, percent } from '../../shared/format/numbers'
import { MoreRows } from '../../shared/lists/more-rows'
import { useList } from '../../shared/lists/pages'
import { Chip } from '../../shared/ui/chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { judgingOf } from '../../tasktypes/judging'
import { metricWords } from '../../tasktypes/metric-words'
import { strategyWords, toSeries } from './compared'
import { NextAction } from './next-action'
import { againstRandomQuery, comparableQuery, curveQuery, roundsList } from './queries'
import { RoundsTable } from './rounds-table'
import { pipelineTone, pipelineWords } from './steps'

interface PipelineBodyProps {
  chosen: Pipeline
  stale: boolean
  /** Beside the name. */
  actions?: ReactNode
  /** Beside the curve. */
  aside: ReactNode
  /** Under the rounds. */
  below?: ReactNode
}

/** Where a pipeline stands, its curve beside those it may be compared with, and its rounds. */
export function PipelineBody({ chosen, stale, actions, aside, below }: PipelineBodyProps) {
  const rounds = useList(roundsList(chosen))
  const { compared } = useComparable(chosen)
  return (
    <div className="page">
      <div className="page-head">
        <h1>{chosen.name}</h1>
        <Chip tone={pipelineTone(chosen.state)}>{pipelineWords[chosen.state]}</Chip>
        <span className="quiet">
          {strategyWords(chosen)} · {chosen.architecture} on <Link to="/datasets/$id" params={{ id: chosen.dataset }}>{chosen.dataset}</Link>
        </span>
        {stale && <Chip tone="warn">No answer from the server, retrying</Chip>}
        <span className="grow" />
        {actions}
      </div>
      {compared.length > 1 && <PipelineTabs chosen={chosen} all={compared} />}
      {rounds.rows && <NextAction pipeline={chosen} rounds={rounds.rows} />}
      <div className="loop-grid">
        <CurvePanel chosen={chosen} />
        {aside}
      </div>
      <section className="panel" aria-labelledby="rounds">
        <div className="panel-head">
          <h2 id="rounds">Rounds</h2>
        </div>
        {!rounds.rows && rounds.error === null && (
          <div className="panel-body">
            <Skeleton height={120} />
          </div>
        )}
        {!rounds.rows && rounds.error !== null && <Failure what="The rounds could not be loaded" error={rounds.error} retry={rounds.retry} />}
        {(rounds.rows?.length ?? 0) > 0 && <AgainstRandom pipeline={chosen} />}
        {rounds.rows && <RoundsTable pipeline={chosen} rounds={rounds.rows} />}
        <MoreRows noun="rounds" reading={rounds} byHand />
      </section>
      {below}
    </div>
  )
}

/** Whether mining does worse than chance, in a sentence. */
function AgainstRandom({ pipeline }: { pipeline: Pipeline }) {
  const { data } = useQuery(againstRandomQuery(pipeline))
  if (!data) return null
  return (
    <p className="panel-body row wrap" role={data.loses ? 'alert' : undefined}>
      {data.loses && <Chip tone="warn">picks at random</Chip>}
      <span className={data.loses ? undefined : 'quiet'}>{data.sentence}</span>
    </p>
  )
}

/** The curve of a pipeline beside those it may be compared with. */
export function CurvePanel({ chosen, below }: { chosen: Pipeline; below?: ReactNode }) {
  const { compared, more } = useComparable(chosen)
  const { series, pending, error, metric } = useSeries(compared)
  const figure = metricWords(judgingOf(chosen.task, { metric, gates: chosen.gates }).headline)
  return (
    <section className="panel" aria-labelledby="curve">
      <div className="panel-head">
        <h2 id="curve" className="grow">
          {figure} by number of labels
        </h2>
        <Saved series={series} />
      </div>
      <div className="panel-body">
        {pending && <Skeleton height={320} />}
        {error !== null && <Failure what="The curve could not be loaded" error={error} />}
        {!pending && error === null && <CurveOrNothing figure={figure} series={series} />}
        {more && <p className="quiet small">Compared with the newest {compared.length - 1} pipelines over data of the same task and classes.</p>}
        {below}
      </div>
    </section>
  )
}

/** A pipeline and a few others whose curves may be compared with its; the oldest first, so that none changes its place and colour. */
function useComparable(chosen: Pipeline): { compared: Pipeline[]; more: boolean } {
  const { data } = useQuery(comparableQuery(chosen))
  return useMemo(() => {
    const others = (data?.results ?? []).filter(({ id }) => id !== chosen.id)
    return { compared: [chosen, ...others].sort((a, b) => a.id - b.id), more: data != null && data.next !== null }
  }, [chosen, data])
}

function PipelineTabs({ chosen, all }: { chosen: Pipeline; all: Pipeline[] }) {
  return (
    <nav className="tabs" aria-label="Pipelines">
      {all.map((each) => (
        <Link
          key={each.id}
          to="/pipelines/$id"
          params={{ id: String(each.id) }}
          className="tab"
          aria-current={each.id === chosen.id ? 'page' : undefined}
        >
          {each.name}
        </Link>
      ))}
      <Link to="/pipelines" activeOptions={{ exact: true }} className="tab">
        All pipelines
      </Link>
    </nav>
  )
}

interface CurvesRead {
  series: Series[]
  /** What the points are, where there are some. */
  metric: string | null
  pending: boolean
  error: Error | null
}

function useSeries(pipelines: Pipeline[]): CurvesRead {
  return useQueries({
    queries: pipelines.map(curveQuery),
    combine: (results: UseQueryResult<Curve>[]): CurvesRead => ({
      series: pipelines.flatMap((pipeline, index) => {
        const curve = results[index]?.data
        return curve && curve.points.length > 0 ? [toSeries(pipeline, curve)] : []
      }),
      metric: results.flatMap(({ data }) => data?.points ?? [])[0]?.metric ?? null,
      pending: results.some((result) => result.isPending),
      error: results.find((result) => result.isError && !result.data)?.error ?? null,
    }),
  })
}

function CurveOrNothing({ figure, series }: { figure: string; series: Series[] }) {
  if (series.length === 0) return <Empty>No model has been evaluated yet. Each training adds a point, once samples of split test or val are labelled to judge it by.</Empty>
  return (
    <>
      <CurveChart title={`${figure} by number of labels`} series={series} bands={`Bands are 95 % intervals of the test ${figure.toLowerCase()}.`} />
      <CurveTable series={series} />
      {series.length === 1 && series[0]?.points.length === 1 && <p className="quiet">This is the first point. The next round trains again with the labels it asks for and adds another; from three points on, the number of labels to a target is forecast.</p>}
    </>
  )
}

function Saved({ series }: { series: Series[] }) {
  const saving = labelsSaved(series)
  if (!saving) return null
  const { best, other, labels, otherLabels, value } = saving
  return (
    <span className="quiet small">
      <strong>{best}</strong> reached {other}&rsquo;s {percent(value)} with {count(labels)} labels instead of {count(otherLabels)}:{' '}
      <strong>{percent(1 - labels / otherLabels, 0)} saved</strong>
    </span>
  )
}

export function Waiting() {
  return (
    <div className="page" aria-busy>
      <Skeleton height={28} width={280} />
      <Skeleton height={56} />
      <Skeleton height={360} />
      <Skeleton height={200} />
    </div>
  )
}
