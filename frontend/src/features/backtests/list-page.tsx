import './backtests.css'

import { Link, useSearch } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import { ArchivedList } from '../../shared/lifecycle/archived-list'
import { LifecycleMenu } from '../../shared/lifecycle/lifecycle-menu'
import type { BacktestRow as Row } from '../../shared/api/types'
import { count, when } from '../../shared/format/numbers'
import { JobCell } from '../../shared/lists/job-cell'
import { ListFrame } from '../../shared/lists/list-frame'
import { useList } from '../../shared/lists/pages'
import { SearchBox } from '../../shared/lists/search-box'
import { Table } from '../../shared/lists/table'
import { NoneLeft } from '../../shared/lifecycle/none-left'
import { usePicked } from '../../shared/project-choice/picked'
import { Empty } from '../../shared/ui/messages'
import { backtestsList } from './queries'
import { bestWords, learnerWords } from './words'

const columns = ['Name', 'State', 'Data', 'Learner', 'Strategies', { name: 'Seeds', number: true }, 'Best', 'When', { name: 'Actions', silent: true }] as const

export function BacktestsPage() {
  const mayBuild = useMay('build')
  const { q } = useSearch({ from: '/inside/backtests' })
  const reading = useList(backtestsList({ q }, usePicked()))
  return (
    <ListFrame
      title="Back-tests"
      noun="back-tests"
      reading={reading}
      filters={<SearchBox label="Search back-tests by name, dataset or strategy" placeholder="Name, dataset, strategy" />}
      action={mayBuild && <NewBacktest />}
      empty={
        <Empty action={mayBuild && <NewBacktest />}>
          <NoneLeft kind="backtest" /> A back-test replays strategies on labels you already have and shows which would have saved labels.
        </Empty>
      }
      table={
        <Table caption="Back-tests, newest first" columns={columns}>
          {reading.rows?.map((backtest) => (
            <BacktestRow key={backtest.id} backtest={backtest} />
          ))}
        </Table>
      }
    >
      <ArchivedList
        kind="backtest"
        link={({ id, name }) => (
          <Link to="/backtests/$id" params={{ id: String(id) }}>
            {name}
          </Link>
        )}
      />
    </ListFrame>
  )
}

function NewBacktest() {
  return (
    <Link to="/backtests/new" className="button primary">
      New back-test
    </Link>
  )
}

function strategiesOf({ strategies }: Row): string {
  return strategies.map(({ name }) => name.replaceAll('_', ' ')).join(', ')
}

function BacktestRow({ backtest }: { backtest: Row }) {
  return (
    <tr>
      <th scope="row">
        <Link to="/backtests/$id" params={{ id: String(backtest.id) }} className="cut name" title={backtest.name}>
          {backtest.name}
        </Link>
      </th>
      <td>
        <JobCell job={backtest.job} name={backtest.name} />
      </td>
      <td>
        {backtest.dataset} <span className="quiet">v{backtest.version}</span>
      </td>
      <td>{learnerWords(backtest.learner)}</td>
      <td>{strategiesOf(backtest)}</td>
      <td className="number">{count(backtest.seeds)}</td>
      <td>{bestWords(backtest)}</td>
      <td className="quiet">{when(backtest.created)}</td>
      <td>
        <LifecycleMenu kind="backtest" thing={backtest} />
      </td>
    </tr>
  )
}
