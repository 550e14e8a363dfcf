import '../models.css'
import './outcomes.css'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'

import { modelQuery } from '../../../shared/api/queries'
import type { Model, ModelVersionDetail, Outcome, Outcomes } from '../../../shared/api/types'
import { count } from '../../../shared/format/numbers'
import type { OutcomesSearch } from '../../../shared/routes/outcomes-search'
import { Empty, Failure, Skeleton } from '../../../shared/ui/messages'
import type { Judging } from '../../../tasktypes'
import { judgingOf } from '../../../tasktypes/judging'
import { modelVersionQuery } from '../queries'
import { OutcomeActions } from './outcome-actions'
import { OutcomeFilters } from './outcome-filters'
import { OutcomeTile } from './outcome-tile'
import { outcomesQuery } from './queries'
import { summaryOf, titleOf } from './words'

/** What a version got right and wrong, one by one: a cell of its confusion matrix, what it missed or said wrongly. */
export function OutcomesPage() {
  const { model: name, version } = useParams({ from: '/inside/models/$model/$version/outcomes' })
  const model = useQuery(modelQuery(name))
  const detail = useQuery(modelVersionQuery(name, version))
  if (model.data && detail.data) return <OutcomesOf model={model.data} detail={detail.data} />
  const { error } = model.error ? model : detail
  return (
    <div className="page" aria-busy={error === null}>
      {error === null ? (
        <Skeleton height={320} />
      ) : (
        <Failure
          what={`Version ${version} of “${name}” could not be loaded`}
          error={error}
          retry={() => void Promise.all([model.refetch(), detail.refetch()])}
          elsewhere={<Link to="/models" className="button">To the models</Link>}
        />
      )}
    </div>
  )
}

function OutcomesOf({ model, detail }: { model: Model; detail: ModelVersionDetail }) {
  const search = useSearch({ from: '/inside/models/$model/$version/outcomes' })
  const version = String(detail.version)
  const judging = judgingOf(model.task, { gates: model.gates, metrics: detail.metrics })
  const title = titleOf(search, model.classes, judging)
  const list = useInfiniteQuery(outcomesQuery(model.name, version, search))
  const [head] = list.data?.pages ?? []
  const rows = list.data?.pages.flatMap(({ results }) => results) ?? []
  return (
    <div className="page">
      <header className="page-head">
        <h1>
          <Link to="/models/$model/$version" params={{ model: model.name, version }}>
            {model.name} v{version}
          </Link>
          : {title}
        </h1>
      </header>
      <OutcomeFilters model={model} detail={detail} search={search} judging={judging} counts={head?.counts ?? null} />
      {list.isPending && <Skeleton height={320} />}
      {list.isError && !list.data && <Failure what="The list could not be loaded" error={list.error} retry={() => void list.refetch()} />}
      {head && (
        // Another list is another selection.
        <OutcomeList key={JSON.stringify(search)} model={model} version={version} search={search} judging={judging} title={title} head={head} rows={rows}>
          {list.hasNextPage && (
            <button type="button" className="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              {list.isFetchingNextPage ? 'Reading…' : `Show more after ${count(rows.length)}`}
            </button>
          )}
        </OutcomeList>
      )}
    </div>
  )
}

interface OutcomeListProps {
  model: Model
  version: string
  search: OutcomesSearch
  judging: Judging
  title: string
  head: Outcomes
  rows: readonly Outcome[]
  /** What leads on to more. */
  children: ReactNode
}

function OutcomeList({ model, version, search, judging, title, head, rows, children }: OutcomeListProps) {
  const [chosen, setChosen] = useState<ReadonlySet<number>>(() => new Set())
  const { objects = false } = judging
  const toggle = (place: number) => {
    const next = new Set(chosen)
    if (!next.delete(place)) next.add(place)
    setChosen(next)
  }
  if (head.total === 0) {
    return (
      <section className="panel">
        <Empty>{search.kind === 'cell' ? 'Nothing is in this cell.' : search.kind === 'said' ? 'Nothing was said here.' : `Nothing is ${search.kind} here.`}</Empty>
      </section>
    )
  }
  const selected = [...chosen].sort((one, other) => one - other).flatMap((place) => rows[place] ?? [])
  return (
    <section className="panel" aria-label={title}>
      <div className="panel-head">
        <p className="grow" role="status">
          {summaryOf(search, head, judging)}
        </p>
        {objects && <span className="quiet small">true objects solid, the model’s boxes dashed</span>}
      </div>
      <OutcomeActions model={model} version={version} search={search} title={title} head={head} selected={selected} onClear={() => setChosen(new Set())} />
      <ul className="panel-body outcomes">
        {rows.map((outcome, place) => (
          <li key={place}>
            <OutcomeTile outcome={outcome} classes={model.classes} objects={objects} dataset={head.dataset} version={head.version} chosen={chosen.has(place)} onChoose={() => toggle(place)} />
          </li>
        ))}
      </ul>
      <div className="panel-foot">{children}</div>
    </section>
  )
}
