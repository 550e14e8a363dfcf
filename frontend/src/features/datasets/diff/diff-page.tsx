import '../datasets.css'
import './diff.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'

import { isStatus } from '../../../shared/api/errors'
import type { Dataset, Diff, DiffKind } from '../../../shared/api/types'
import { count } from '../../../shared/format/numbers'
import { type DiffSearch, kindWords } from '../../../shared/routes/diff-search'
import { splits } from '../../../shared/routes/grid-search'
import { DeltaBars } from '../../../shared/ui/delta-bars'
import { Empty, Failure, Skeleton } from '../../../shared/ui/messages'
import { Swatch } from '../../../shared/ui/swatch'
import { taskTypeOf } from '../../../tasktypes'
import { DatasetFrame } from '../dataset-frame'
import { DifferenceGrid } from './difference-grid'
import { amountOf, changedCounts, openingKind, shownKinds } from './kinds'
import { PairPicker } from './pair-picker'
import { diffQuery, fromWords, type VersionPair } from './queries'

export function DiffPage() {
  const { id } = useParams({ from: '/inside/datasets/$id/diff' })
  return <DatasetFrame id={id}>{(dataset) => <Comparison id={id} dataset={dataset} />}</DatasetFrame>
}

function Comparison({ id, dataset }: { id: string; dataset: Dataset }) {
  const search = useSearch({ from: '/inside/datasets/$id/diff' })
  const navigate = useNavigate()
  const change = (part: DiffSearch) => void navigate({ to: '/datasets/$id/diff', params: { id }, search: part })
  if (dataset.head === null) return <Empty>This dataset has no version yet, so there is nothing to compare. Add files to create the first one.</Empty>
  const pair = { dataset: dataset.name, ...ends(search, dataset) }
  const alone = dataset.head === 1 && dataset.origin === null
  return (
    <div className="page">
      {alone && (
        <Empty
          action={
            <Link to="/datasets/$id" params={{ id }} className="button">
              To the items
            </Link>
          }
        >
          {dataset.name} has one version. The next commit gives it something to be compared with.
        </Empty>
      )}
      {!alone && <Compared key={`${pair.fromDataset} ${pair.from} ${pair.to}`} pair={pair} dataset={dataset} search={search} onChange={change} />}
    </div>
  )
}

/** What the address says; the newest version and the one before it where it is silent. */
function ends({ from, to, from_dataset: elsewhere }: DiffSearch, { name, head, origin }: Dataset): Omit<VersionPair, 'dataset'> {
  const later = to ?? String(head ?? 1)
  const before = (/^v?\d+$/.test(later) ? Number(later.replace('v', '')) : (head ?? 1)) - 1
  // A fork's first version has only the origin before it.
  const fromDataset = elsewhere ?? (from === undefined && before < 1 && origin ? origin.dataset : name)
  const newest = fromDataset === name ? String(Math.max(1, before)) : 'head'
  return { from: from ?? newest, fromDataset, to: later }
}

interface ComparedProps {
  pair: VersionPair
  dataset: Dataset
  search: DiffSearch
  onChange: (search: DiffSearch) => void
}

function Compared({ pair, dataset, search, onChange }: ComparedProps) {
  const diff = useQuery(diffQuery(pair))
  return (
    <>
      <PairPicker pair={pair} origin={dataset.origin?.dataset ?? null} diff={diff.data} onChange={onChange} />
      {diff.isPending && <Skeleton height={400} />}
      {diff.isError && !diff.data && (
        <Failure
          what={`${pair.from} and ${pair.to} could not be compared`}
          error={diff.error}
          safe={isStatus(diff.error, 404) ? 'Choose two versions of this dataset above.' : 'Nothing was changed on the server.'}
          retry={() => void diff.refetch()}
        />
      )}
      {diff.data && <Changes pair={pair} dataset={dataset} diff={diff.data} search={search} />}
    </>
  )
}

function Changes({ pair, dataset, diff, search }: { pair: VersionPair; dataset: Dataset; diff: Diff; search: DiffSearch }) {
  const id = pair.dataset
  const kind = openingKind(diff.counts, search.kind)
  const numbers: VersionPair = { ...pair, from: String(diff.from), to: String(diff.to) }
  if (Object.values(diff.counts).every((amount) => amount === 0)) {
    return (
      <Empty
        action={
          <Link to="/datasets/$id/versions" params={{ id }} className="button">
            To the versions
          </Link>
        }
      >
        {fromWords(numbers)} and v{diff.to} hold the same samples with the same labels. Choose two others to compare.
      </Empty>
    )
  }
  return (
    <div className="diff-body">
      <KindTabs id={id} dataset={dataset} diff={diff} search={search} chosen={kind} />
      <section aria-labelledby="pictures">
        <h2 id="pictures" className="visually-hidden">
          {kindWords[kind]}
        </h2>
        <DifferenceGrid key={kind} pair={numbers} kind={kind} total={amountOf(diff.counts, kind)} dataset={dataset} />
      </section>
      <aside className="panel diff-deltas" aria-label="Counts">
        <DeltaBars
          title={`${taskTypeOf(dataset.task).counted} by class`}
          deltas={changedCounts(diff.by_class, dataset.classes)}
          mark={(name) => <Swatch classes={dataset.classes} name={name} />}
        />
        <DeltaBars title="Samples by split" deltas={changedCounts(diff.by_split, splits)} />
      </aside>
    </div>
  )
}

interface KindTabsProps {
  id: string
  dataset: Dataset
  diff: Diff
  search: DiffSearch
  chosen: DiffKind
}

function KindTabs({ id, dataset, diff, search, chosen }: KindTabsProps) {
  return (
    <nav className="tabs" aria-label="Kinds of change">
      {shownKinds(diff.counts, dataset.task).map((kind) => (
        <Link
          key={kind}
          to="/datasets/$id/diff"
          params={{ id }}
          search={{ ...search, kind }}
          replace
          className="tab"
          aria-current={kind === chosen ? 'page' : undefined}
        >
          {kindWords[kind]} <span className={`tab-count ${amountOf(diff.counts, kind) === 0 ? 'none' : ''}`}>{count(amountOf(diff.counts, kind))}</span>
        </Link>
      ))}
    </nav>
  )
}
