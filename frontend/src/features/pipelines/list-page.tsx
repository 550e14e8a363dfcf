import './pipelines.css'

import { Link, useSearch } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import { ArchivedList } from '../../shared/lifecycle/archived-list'
import { LifecycleMenu } from '../../shared/lifecycle/lifecycle-menu'
import { pipelinesList } from '../../shared/api/lists'
import type { Pipeline } from '../../shared/api/types'
import { count } from '../../shared/format/numbers'
import { ListFrame } from '../../shared/lists/list-frame'
import { useList } from '../../shared/lists/pages'
import { SearchBox } from '../../shared/lists/search-box'
import { Table } from '../../shared/lists/table'
import { useNow } from '../../shared/live/use-now'
import { NoneLeft } from '../../shared/lifecycle/none-left'
import { usePicked } from '../../shared/project-choice/picked'
import { Chip } from '../../shared/ui/chip'
import { Empty } from '../../shared/ui/messages'
import { strategyWords } from './compared'
import { pipelineTone, pipelineWords } from './steps'
import { shareWords } from './judging'
import { triggerWords, untilWords } from './words'

const columns = [
  'Name',
  'State',
  'Data and model',
  'Strategy',
  'Runs',
  { name: 'Round', number: true },
  { name: 'Labels spent', number: true },
  { name: 'Actions', silent: true },
] as const

export function PipelinesPage() {
  const mayBuild = useMay('build')
  const { q } = useSearch({ from: '/inside/pipelines' })
  const reading = useList(pipelinesList(usePicked(), { q }, true))
  return (
    <ListFrame
      title="Pipelines"
      noun="pipelines"
      reading={reading}
      filters={<SearchBox label="Search pipelines by name, data, model or strategy" placeholder="Name, data, strategy" />}
      action={mayBuild && <NewPipeline />}
      empty={<Empty action={mayBuild && <NewPipeline />}><NoneLeft kind="pipeline" /> A pipeline trains, mines, asks for labels and trains again, round by round.</Empty>}
      table={
        <Table caption="All pipelines" columns={columns}>
          {reading.rows?.map((pipeline) => (
            <PipelineRow key={pipeline.id} pipeline={pipeline} />
          ))}
        </Table>
      }
    >
      <ArchivedList
        kind="pipeline"
        link={({ id, name }) => (
          <Link to="/pipelines/$id" params={{ id: String(id) }}>
            {name}
          </Link>
        )}
      />
    </ListFrame>
  )
}

function NewPipeline() {
  return (
    <Link to="/pipelines/new" className="button primary">
      New pipeline
    </Link>
  )
}

function PipelineRow({ pipeline }: { pipeline: Pipeline }) {
  return (
    <tr>
      <th scope="row">
        <Link to="/pipelines/$id" params={{ id: String(pipeline.id) }} className="cut name" title={pipeline.name}>
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
      <td>
        <LifecycleMenu kind="pipeline" thing={pipeline} />
      </td>
    </tr>
  )
}

function Runs({ pipeline }: { pipeline: Pipeline }) {
  const now = useNow()
  const triggers = triggerWords(pipeline.trigger, shareWords(pipeline))
  if (!pipeline.schedule && triggers.length === 0) return <>by hand</>
  return (
    <>
      {pipeline.schedule && (pipeline.schedule_words ?? pipeline.schedule)}
      {pipeline.next_run && <span className="quiet"> {untilWords(pipeline.next_run, now)}</span>}
      {triggers.length > 0 && <p className="quiet small">after {triggers.join(', or ')}</p>}
    </>
  )
}
