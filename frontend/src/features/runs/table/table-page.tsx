import './table.css'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'

import { modelsList } from '../../../shared/api/lists'
import type { RunTable } from '../../../shared/api/types'
import { count } from '../../../shared/format/numbers'
import { type Order, sorted, turned } from '../../../shared/lists/sorting'
import { Picker } from '../../../shared/picking/picker'
import { usePicked } from '../../../shared/project-choice/picked'
import { runTableSearch, type RunTableSearch } from '../../../shared/routes/run-table-search'
import { Empty, Failure, Skeleton } from '../../../shared/ui/messages'
import { toast } from '../../../shared/ui/toast-store'
import { runTableQuery } from '../queries'
import { columnsOf, shownWords, usual, type RunColumn } from './columns'
import { csvOf } from './csv'
import { FilterBar } from './filter-bar'
import { Parallel } from './parallel'
import { chosen, read, written, type Range } from './ranges'
import { byAge, RunRows } from './run-rows'

const everyModel = [{ value: '', words: 'all models' }]
/** As many as the server puts side by side. */
const mostCompared = 10

/** All runs with what they were told and what came out: filtered, ordered, compared. */
export function RunTablePage() {
  const { model } = useSearch({ from: '/inside/runs' })
  const picked = usePicked()
  const navigate = useNavigate({ from: '/runs' })
  const found = useQuery({ ...runTableQuery(model, picked), placeholderData: keepPreviousData })
  return (
    <div className="page">
      <header className="page-head wrap">
        <h1>Runs</h1>
        <Picker
          aria-label="Model"
          first={everyModel}
          source={(q) => modelsList(picked, { q })}
          choices={({ name }) => [{ value: name }]}
          value={model ?? ''}
          onChange={(name) => void navigate({ search: name === '' ? {} : { model: name } })}
        />
      </header>
      {found.isPending && <Skeleton height={480} />}
      {found.isError && !found.data && (
        <Failure
          what="The runs could not be loaded"
          error={found.error}
          retry={() => void found.refetch()}
          elsewhere={<Link to="/runs" className="button">To the runs of all models</Link>}
        />
      )}
      {found.data?.runs.length === 0 && (
        <Empty
          action={
            <Link to="/models" className="button primary">
              To the models
            </Link>
          }
        >
          No training has run yet. Train a model on its page, or let a pipeline do it.
        </Empty>
      )}
      {found.data && found.data.runs.length > 0 && <Found table={found.data} />}
    </div>
  )
}

function Found({ table }: { table: RunTable }) {
  const search = useSearch({ from: '/inside/runs' })
  const navigate = useNavigate({ from: '/runs' })
  const [ticked, setTicked] = useState<readonly number[]>([])
  const [looked, setLooked] = useState<number | null>(null)
  const columns = useMemo(() => columnsOf(table), [table])
  const put = (part: Partial<Record<keyof RunTableSearch, unknown>>) => void navigate({ search: (before) => runTableSearch({ ...before, ...part }), replace: true })
  const ranges = (search.where ?? []).map(read).filter((range) => range !== null)
  const places = chosen(columns, ranges, table.runs.length)
  const order: Order = { by: search.by ?? byAge, down: search.up !== true }
  const by = columns.find(({ id }) => id === order.by)
  const shown = sorted(places, (place) => (by ? (by.values[place] ?? null) : (table.runs[place]?.id ?? null)), order.down)
  const names = search.show ?? usual(columns, places)
  const visible = columns.filter(({ id }) => names.includes(id))
  const drawable = visible.filter(({ values }) => new Set(values).size > 1)
  const onRange = (column: string, range: Range | null) => {
    const where = [...ranges.filter((one) => one.column !== column), ...(range ? [range] : [])].map(written)
    put({ where })
  }
  const onOrder = (one: string) => {
    const next = turned(order, one)
    put({ by: next.by, up: !next.down })
  }
  const onTick = (id: number) => setTicked(ticked.includes(id) ? ticked.filter((each) => each !== id) : [...ticked, id].slice(-mostCompared))
  return (
    <>
      {table.total > table.runs.length && (
        <p className="quiet">
          The newest {count(table.runs.length)} of {count(table.total)} runs are here. Choose a model to see older ones of it.
        </p>
      )}
      <section className="panel" aria-labelledby="parallel">
        <div className="panel-head">
          <h2 id="parallel" className="grow">
            Settings and results
          </h2>
          {drawable.length > 1 && <span className="quiet small">{looked === null ? 'drag along an axis to choose a part of it' : `run ${table.runs[looked]?.id ?? ''}`}</span>}
        </div>
        {drawable.length > 1 ? (
          <Parallel columns={drawable} runs={table.runs.map(({ id }) => id)} shown={places} ranges={ranges} looked={looked} onLook={setLooked} onRange={onRange} />
        ) : (
          <p className="panel-body quiet">There is nothing to draw until two runs differ in two of the columns shown.</p>
        )}
        <FilterBar columns={columns} ranges={ranges} onRange={onRange} />
      </section>
      <section className="panel" aria-labelledby="run-rows">
        <div className="panel-head wrap">
          <h2 id="run-rows" className="grow" aria-live="polite">
            {shownWords(shown.length, table.runs.length)}
          </h2>
          {ticked.length >= 2 && (
            <Link to="/runs/compare" search={{ ids: [...ticked].sort((a, b) => a - b).join(',') }} className="button little primary">
              Compare {ticked.length} runs
            </Link>
          )}
          <button type="button" className="button little" onClick={() => save(csvOf(table, columns, shown))}>
            Save as CSV
          </button>
        </div>
        <Columns columns={columns} names={names} onChoose={(show) => put({ show })} />
        {shown.length === 0 ? (
          <Empty
            action={
              <button type="button" className="button" onClick={() => put({ where: [] })}>
                Remove all filters
              </button>
            }
          >
            No run has all of that.
          </Empty>
        ) : (
          <RunRows table={table} columns={visible} places={shown} order={order} onOrder={onOrder} ticked={ticked} onTick={onTick} looked={looked} onLook={setLooked} />
        )}
      </section>
    </>
  )
}

interface ColumnsProps {
  columns: readonly RunColumn[]
  names: readonly string[]
  onChoose: (names: string[]) => void
}

function Columns({ columns, names, onChoose }: ColumnsProps) {
  const turn = (id: string) => {
    const next = names.includes(id) ? names.filter((one) => one !== id) : [...names, id]
    if (next.length === 0) toast('warn', 'One column at least is shown.')
    else onChoose(next)
  }
  return (
    <details className="panel-body run-columns-choice">
      <summary>Columns</summary>
      <fieldset className="bare row wrap">
        <legend className="visually-hidden">Columns that are shown</legend>
        {columns.map(({ id, title }) => (
          <label key={id} className="check">
            <input
              type="checkbox"
              checked={names.includes(id)}
              onChange={() => turn(id)}
            />
            {title}
          </label>
        ))}
      </fieldset>
    </details>
  )
}

/** The browser keeps it as a file. */
function save(text: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
  link.download = 'runs.csv'
  link.click()
  URL.revokeObjectURL(link.href)
}
