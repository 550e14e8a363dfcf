import '../datasets.css'
import './versions.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import { useState } from 'react'

import { versionsList } from '../../../shared/api/lists'
import type { Dataset, Version, VersionName } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { MoreRows } from '../../../shared/lists/more-rows'
import { useList } from '../../../shared/lists/pages'
import { SearchBox } from '../../../shared/lists/search-box'
import { Table } from '../../../shared/lists/table'
import { Empty, Failure, Skeleton } from '../../../shared/ui/messages'
import { DatasetFrame } from '../dataset-frame'
import { AliasDialog } from './alias-dialog'
import { type ChosenPair, withChosen } from './chosen-pair'
import { ForkDialog } from './fork-dialog'
import { ForkFacts } from './fork-facts'
import { namesQuery } from './queries'
import { RevertDialog } from './revert-dialog'
import { TagDialog } from './tag-dialog'
import { type VersionAction, VersionRow } from './version-row'

const columns = [
  'Compare',
  'Version',
  'What',
  'Who and when',
  { name: 'Added', number: true },
  { name: 'Updated', number: true },
  { name: 'Removed', number: true },
  { name: 'Labelled', number: true },
  { name: 'Samples', number: true },
] as const

export function VersionsPage() {
  const { id } = useParams({ from: '/inside/datasets/$id/versions' })
  return <DatasetFrame id={id}>{(dataset) => <Versions id={id} dataset={dataset} />}</DatasetFrame>
}

function Versions({ id, dataset }: { id: string; dataset: Dataset }) {
  const { q } = useSearch({ from: '/inside/datasets/$id/versions' })
  const versions = useList(versionsList(id, { q }))
  const { rows, error, retry } = versions
  if (!rows) {
    return (
      <div className="page" aria-busy={error === null}>
        {error === null ? <Skeleton height={320} /> : <Failure what="The versions could not be loaded" error={error} retry={retry} />}
      </div>
    )
  }
  if (rows.length === 0 && q === undefined) return <Empty>This dataset has no version yet. Add files to create the first one.</Empty>
  return (
    <div className="page">
      <ForkFacts dataset={dataset} />
      <VersionTable id={id} dataset={dataset} versions={rows} />
      <MoreRows noun="versions" reading={versions} />
    </div>
  )
}

const noNames: VersionName[] = []

interface Doing {
  action: VersionAction
  version: Version
}

function VersionTable({ id, dataset, versions }: { id: string; dataset: Dataset; versions: readonly Version[] }) {
  const { v, q } = useSearch({ from: '/inside/datasets/$id/versions' })
  const navigate = useNavigate()
  const names = useQuery(namesQuery(id)).data ?? noNames
  const [pair, setPair] = useState<ChosenPair>([])
  const [doing, setDoing] = useState<Doing | null>(null)
  const opened = v ?? versions[0]?.version
  const open = (version: number) =>
    void navigate({ to: '/datasets/$id/versions', params: { id }, search: { v: version === opened ? 0 : version, ...(q === undefined ? {} : { q }) }, replace: true })
  const done = () => setDoing(null)
  return (
    <>
      <div className="row wrap">
        <SearchBox label="Search versions by number, message, author or name" placeholder="Message, author, tag" />
        <CompareBar id={id} pair={pair} onClear={() => setPair([])} />
      </div>
      {q === undefined && v !== undefined && v > 0 && versions.every(({ version }) => version !== v) && <NotAmongThem wanted={v} dataset={dataset} read={versions.length} />}
      {versions.length === 0 && (
        <p className="quiet" role="status">
          No versions match the search.
        </p>
      )}
      <div className="panel">
        <Table caption={`Versions of ${dataset.name}, newest first`} columns={columns} className="versions">
          {versions.map((version) => (
            <VersionRow
              key={version.version}
              id={id}
              project={dataset.project}
              version={version}
              names={names}
              open={version.version === opened}
              chosen={pair.includes(version.version)}
              onOpen={() => open(version.version)}
              onChoose={() => setPair(withChosen(pair, version.version))}
              onAction={(action) => setDoing({ action, version })}
            />
          ))}
        </Table>
      </div>
      {doing?.action === 'tag' && <TagDialog id={id} version={doing.version} onClose={done} />}
      {doing?.action === 'alias' && <AliasDialog id={id} project={dataset.project} version={doing.version} names={names} onClose={done} />}
      {doing?.action === 'fork' && <ForkDialog id={id} dataset={dataset} version={doing.version} onClose={done} />}
      {doing?.action === 'revert' && <RevertDialog dataset={dataset} version={doing.version} onClose={done} />}
    </>
  )
}

/** The version whose details the address opens is one that the dataset never had, or further back than was read. */
function NotAmongThem({ wanted, dataset, read }: { wanted: number; dataset: Dataset; read: number }) {
  const isOlder = dataset.head !== null && wanted <= dataset.head
  return (
    <p className="message warn" role="status">
      {isOlder
        ? `v${wanted} is not among the ${plural(read, 'version')} read so far: show older ones to see it.`
        : `${dataset.name} has no version ${wanted}${dataset.head === null ? '' : `; its newest is v${dataset.head}`}.`}
    </p>
  )
}

function CompareBar({ id, pair, onClear }: { id: string; pair: ChosenPair; onClear: () => void }) {
  const [from, to] = [...pair].sort((a, b) => a - b)
  if (from === undefined || to === undefined) {
    return (
      <p className="quiet compare-bar" role="status">
        {from === undefined ? 'Tick two versions to compare them.' : `v${from} is ticked; tick another to compare them.`}
      </p>
    )
  }
  return (
    <div className="row compare-bar">
      <Link to="/datasets/$id/diff" params={{ id }} search={{ from: String(from), to: String(to) }} className="button primary">
        Compare v{from} <ArrowRight size={14} aria-hidden />
        <span className="visually-hidden">with</span> v{to}
      </Link>
      <button type="button" className="button plain" onClick={onClear}>
        Clear
      </button>
    </div>
  )
}
