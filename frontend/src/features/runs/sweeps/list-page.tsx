import './sweeps.css'

import { Link, useSearch } from '@tanstack/react-router'

import { useMay } from '../../../shared/access/use-may'
import type { SweepRow as Row } from '../../../shared/api/types'
import { when } from '../../../shared/format/numbers'
import { ArchivedList } from '../../../shared/lifecycle/archived-list'
import { LifecycleMenu } from '../../../shared/lifecycle/lifecycle-menu'
import { ListFrame } from '../../../shared/lists/list-frame'
import { useList } from '../../../shared/lists/pages'
import { SearchBox } from '../../../shared/lists/search-box'
import { Table } from '../../../shared/lists/table'
import { NoneLeft } from '../../../shared/lifecycle/none-left'
import { usePicked } from '../../../shared/project-choice/picked'
import { Empty } from '../../../shared/ui/messages'
import { Progress } from '../../../shared/ui/progress'
import { SweepChip } from './chips'
import { sweepsList } from './queries'
import { bestWords, ended, trialWords } from './words'

const columns = ['Name', 'State', 'Model', 'Data', 'Searched', 'Best', 'When', { name: 'Actions', silent: true }] as const

export function SweepsPage() {
  const mayBuild = useMay('build')
  const { q } = useSearch({ from: '/inside/sweeps' })
  const reading = useList(sweepsList({ q }, usePicked()))
  return (
    <ListFrame
      title="Sweeps"
      noun="sweeps"
      reading={reading}
      filters={<SearchBox label="Search sweeps by name, model, dataset or setting" placeholder="Name, model, dataset, setting" />}
      action={mayBuild && <NewSweep />}
      empty={
        <Empty action={mayBuild && <NewSweep />}>
          <NoneLeft kind="sweep" /> A sweep trains a model many times with other settings, stops what is not worth going on with, and shows which settings are best.
        </Empty>
      }
      table={
        <Table caption="Sweeps, newest first" columns={columns}>
          {reading.rows?.map((sweep) => (
            <SweepRow key={sweep.id} sweep={sweep} />
          ))}
        </Table>
      }
    >
      <ArchivedList
        kind="sweep"
        link={({ id, name }) => (
          <Link to="/sweeps/$id" params={{ id: String(id) }}>
            {name}
          </Link>
        )}
      />
    </ListFrame>
  )
}

function NewSweep() {
  return (
    <Link to="/sweeps/new" className="button primary">
      New sweep
    </Link>
  )
}

function SweepRow({ sweep }: { sweep: Row }) {
  return (
    <tr>
      <th scope="row">
        <Link to="/sweeps/$id" params={{ id: String(sweep.id) }} className="cut name" title={sweep.name}>
          {sweep.name}
        </Link>
      </th>
      <td>
        <div className="stack job-cell">
          <span className="row">
            <SweepChip state={sweep.state} />
          </span>
          {sweep.state === 'running' && <Progress done={ended(sweep)} total={sweep.trials} label={sweep.name} />}
          <p className="quiet small">{trialWords(sweep)}</p>
        </div>
      </td>
      <td>{sweep.model}</td>
      <td>
        {sweep.dataset} <span className="quiet">v{sweep.version}</span>
      </td>
      <td>{Object.keys(sweep.space).join(', ')}</td>
      <td>{bestWords(sweep) ?? '–'}</td>
      <td className="quiet">{when(sweep.created)}</td>
      <td>
        <LifecycleMenu kind="sweep" thing={sweep} />
      </td>
    </tr>
  )
}
