import './mining.css'

import { Link, useSearch } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import type { MiningJob } from '../../shared/api/types'
import { count, percent, when } from '../../shared/format/numbers'
import { JobCell } from '../../shared/lists/job-cell'
import { ListFrame } from '../../shared/lists/list-frame'
import { useList } from '../../shared/lists/pages'
import { SearchBox } from '../../shared/lists/search-box'
import { StatePicker } from '../../shared/lists/state-picker'
import { Table } from '../../shared/lists/table'
import { NoneYet } from '../../shared/project-choice/none-yet'
import { usePicked } from '../../shared/project-choice/picked'
import { Empty } from '../../shared/ui/messages'
import { withoutModel } from './fitting'
import { miningJobsList } from './queries'

const columns = ['Job', 'State', 'Strategy', 'Pool', 'Model', { name: 'Picks', number: true }, 'Queue', 'When'] as const

export function MiningPage() {
  const mayBuild = useMay('build')
  const search = useSearch({ from: '/inside/mining' })
  const reading = useList(miningJobsList(search, usePicked()))
  return (
    <ListFrame
      title="Mining"
      noun="jobs"
      reading={reading}
      filters={
        <>
          <SearchBox label="Search jobs by dataset, model, strategy or queue" placeholder="Dataset, model, strategy" />
          <StatePicker />
        </>
      }
      action={mayBuild && <Mine />}
      empty={
        <Empty action={mayBuild && <Mine />}><NoneYet of="mining jobs" /> A mining job scores the unlabelled pool and picks the samples that teach a model most.</Empty>
      }
      table={
        <Table caption="Mining jobs, newest first" columns={columns}>
          {reading.rows?.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </Table>
      }
    />
  )
}

function Mine() {
  return (
    <Link to="/mining/new" className="button primary">
      Mine samples
    </Link>
  )
}

function JobRow({ job }: { job: MiningJob }) {
  const mayLabel = useMay('label')
  const { state } = job.job
  const picks = state === 'running' || state === 'queued' || state === 'succeeded'
  return (
    <tr>
      <th scope="row">
        <Link to="/mining/$job" params={{ job: String(job.id) }}>
          Mining {job.id}
        </Link>
      </th>
      <td>
        <JobCell job={job.job} name={`Mining ${job.id}`} />
      </td>
      <td>{job.strategy.name.replaceAll('_', ' ')}</td>
      <td>
        {job.dataset} <span className="quiet">v{job.version}</span>
      </td>
      <td>{job.model ?? withoutModel}</td>
      <td className="number">
        {picks ? count(job.count) : '–'}
        {job.control > 0 && <span className="quiet small"> {percent(job.control, 0)} random</span>}
      </td>
      <td>
        {job.queue === null || !mayLabel ? (
          (job.queue ?? '–')
        ) : (
          <Link to="/label/$queue" params={{ queue: job.queue }}>
            {job.queue}
          </Link>
        )}
      </td>
      <td className="quiet">{when(job.created)}</td>
    </tr>
  )
}
