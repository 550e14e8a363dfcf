import './datasets.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'

import type { Dataset } from '../../shared/api/types'
import { count, plural } from '../../shared/format/numbers'
import { type GridSearch, without } from '../../shared/routes/grid-search'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'
import { FacetPanel } from './facet-panel'
import { Grid } from './grid'
import { datasetQuery, facetsQuery, selectionOf } from './queries'
import { SearchField } from './search-field'
import { TileSize, useTileSize } from './tile-size'
import { VersionPicker } from './version-picker'

export function GridPage() {
  const { id } = useParams({ from: '/inside/datasets/$id' })
  const dataset = useQuery(datasetQuery(id))
  if (dataset.isPending) {
    return (
      <div className="page" aria-busy>
        <Skeleton height={28} width={240} />
        <Skeleton height={480} />
      </div>
    )
  }
  if (!dataset.data) {
    return (
      <div className="page">
        <Failure what={`The dataset “${id}” could not be read`} error={dataset.error} retry={() => void dataset.refetch()} />
      </div>
    )
  }
  return <DatasetGrid id={id} dataset={dataset.data} />
}

function DatasetGrid({ id, dataset }: { id: string; dataset: Dataset }) {
  const search = useSearch({ from: '/inside/datasets/$id' })
  const navigate = useNavigate()
  const [tile, setTile] = useTileSize()
  const selection = selectionOf(id, search)
  const facets = useQuery(facetsQuery(selection))
  const change = (part: GridSearch) => void navigate({ to: '/datasets/$id', params: { id }, search: part })
  const total = facets.data?.total
  return (
    <div className="grid-page">
      <header className="grid-head">
        <h1>{dataset.name}</h1>
        <VersionPicker id={id} search={search} onChange={change} />
        <span className="row" style={{ width: 200 }}>
          <span className="grow">
            <Progress done={dataset.counts.labelled} total={dataset.counts.samples} label="Labelled" />
          </span>
        </span>
        <span className="quiet">
          {count(dataset.counts.labelled)}/{count(dataset.counts.samples)} labelled
        </span>
        <span className="grow" />
        <SearchField key={search.q ?? ''} search={search} onChange={change} />
        <TileSize size={tile} onChange={setTile} />
      </header>
      <div className="grid-chips">
        <span role="status">{total === undefined ? 'Counting…' : plural(total, 'item')}</span>
        <Chips search={search} onChange={change} />
      </div>
      <div className="grid-body">
        {dataset.head === null ? (
          <Empty>This dataset has no version yet. Send images to it with POST /datasets/{dataset.name}.</Empty>
        ) : (
          // A change of what is shown begins a new grid: scroll position, focus and selection belong to the old one.
          <Grid key={JSON.stringify(selection)} selection={selection} classes={dataset.classes} tileWanted={tile} />
        )}
        <FacetPanel facets={facets} classes={dataset.classes} search={search} onChange={change} />
      </div>
    </div>
  )
}

interface ChipsProps {
  search: GridSearch
  onChange: (search: GridSearch) => void
}

function Chips({ search, onChange }: ChipsProps) {
  const { v, ...filters } = search
  const names = Object.keys(filters) as (keyof typeof filters)[]
  if (names.length === 0) return null
  return (
    <>
      {names.map((name) => (
        <button key={name} type="button" className="button little" onClick={() => onChange(without(search, name))}>
          {filterWords(name, filters[name])}
          <X size={12} aria-hidden />
          <span className="visually-hidden">: remove this filter</span>
        </button>
      ))}
      <Link to="." search={v === undefined ? {} : { v }} className="small">
        Clear all
      </Link>
    </>
  )
}

function filterWords(name: string, value: string | boolean | undefined): string {
  if (name === 'labelled') return value === true ? 'labelled' : 'not labelled'
  return name === 'q' ? `key has “${String(value)}”` : `${name}: ${String(value)}`
}
