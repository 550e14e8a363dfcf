import './pipelines.css'

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import type { Pipeline } from '../../shared/api/types'
import { count } from '../../shared/format/numbers'
import { useNow } from '../../shared/live/use-now'
import { Chip } from '../../shared/ui/chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { strategyWords } from './compared'
import { livePipelinesQuery } from './queries'
import { pipelineTone, pipelineWords } from './steps'
import { triggerWords, untilWords } from './words'

export function PipelinesPage() {
  const pipelines = useQuery(livePipelinesQuery)
  return (
    <div className="page">
      <header className="page-head">
        <h1 className="grow">Pipelines</h1>
        <Link to="/pipelines/new" className="button primary">
          New pipeline
        </Link>
      </header>
      {pipelines.isPending && <Skeleton height={160} />}
      {pipelines.isError && !pipelines.data && <Failure what="The pipelines could not be read" error={pipelines.error} retry={() => void pipelines.refetch()} />}
      {pipelines.data?.length === 0 && <Empty>No pipeline exists yet. One trains, mines, asks for labels and trains again, round by round.</Empty>}
      {pipelines.data && pipelines.data.length > 0 && <PipelineTable pipelines={pipelines.data} />}
    </div>
  )
}

function PipelineTable({ pipelines }: { pipelines: Pipeline[] }) {
  return (
    <div className="panel table-scroll">
      <table className="table">
        <caption className="visually-hidden">All pipelines</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">Data and model</th>
            <th scope="col">Strategy</th>
            <th scope="col">Runs</th>
            <th scope="col" className="number">
              Round
            </th>
            <th scope="col" className="number">
              Labels spent
            </th>
          </tr>
        </thead>
        <tbody>
          {pipelines.map((pipeline) => (
            <PipelineRow key={pipeline.id} pipeline={pipeline} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function PipelineRow({ pipeline }: { pipeline: Pipeline }) {
  return (
    <tr>
      <th scope="row">
        <Link to="/pipelines/$id" params={{ id: String(pipeline.id) }}>
          {pipeline.name}
        </Link>
      </th>
      <td>
        <Chip tone={pipelineTone(pipeline.state)}>{pipelineWords[pipeline.state]}</Chip>
        {pipeline.stopped && <p className="quiet small">{pipeline.stopped.rule.replaceAll('_', ' ')}</p>}
      </td>
      <td>
        {pipeline.dataset} <span className="quiet">→ {pipeline.model}</span>
      </td>
      <td>{strategyWords(pipeline)}</td>
      <td>
        <Runs pipeline={pipeline} />
      </td>
      <td className="number">{pipeline.current_round ?? '–'}</td>
      <td className="number">
        {count(pipeline.spent.labels)}
        {pipeline.budget.labels != null && <span className="quiet"> of {count(pipeline.budget.labels)}</span>}
      </td>
    </tr>
  )
}

function Runs({ pipeline }: { pipeline: Pipeline }) {
  const now = useNow()
  const triggers = triggerWords(pipeline.trigger)
  if (!pipeline.schedule && triggers.length === 0) return <>by hand</>
  return (
    <>
      {pipeline.schedule && (pipeline.schedule_words ?? pipeline.schedule)}
      {pipeline.next_run && <span className="quiet"> {untilWords(pipeline.next_run, now)}</span>}
      {triggers.length > 0 && <p className="quiet small">after {triggers.join(', or ')}</p>}
    </>
  )
}
