import './datasets.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'

import { useMay } from '../../shared/access/use-may'
import type { Dataset } from '../../shared/api/types'
import { textOf } from '../../shared/filters/text'
import { count, plural } from '../../shared/format/numbers'
import { type GridSearch, without, withoutSimilar } from '../../shared/routes/grid-search'
import { Empty } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'
import { DatasetFrame } from './dataset-frame'
import { FacetPanel } from './facet-panel'
import { FilterBar } from './filter/filter-bar'
import { Grid } from './grid'
import { facetsQuery, selectionOf } from './queries'
import { SearchField } from './search-field'
import { SimilarChip } from './similar/similar-chip'
import { SimilarView } from './similar/similar-view'
import { EditSlice, SaveSlice } from './slices/save-slice'
import { SlicePicker } from './slices/slice-picker'
import { TileSize, useTileSize } from './tile-size'
import { VersionPicker } from './version-picker'

export function GridPage() {
  const { id } = useParams({ from: '/inside/datasets/$id' })
  const search = useSearch({ from: '/inside/datasets/$id' })
  return (
    <DatasetFrame id={id} filled filter={textOf(search)} {...(search.v === undefined ? {} : { version: search.v })}>
      {(dataset) => <DatasetGrid id={id} dataset={dataset} />}
    </DatasetFrame>
  )
}

function DatasetGrid({ id, dataset }: { id: string; dataset: Dataset }) {
  const search = useSearch({ from: '/inside/datasets/$id' })
  const navigate = useNavigate()
  const [tile, setTile] = useTileSize()
  const mayReview = useMay('review', dataset.project)
  const mayBuild = useMay('build', dataset.project)
  const selection = selectionOf(id, search)
  const facets = useQuery({ ...facetsQuery(selection), enabled: dataset.head !== null })
  const change = (part: GridSearch) => void navigate({ to: '/datasets/$id', params: { id }, search: part })
  const total = dataset.head === null ? 0 : facets.data?.total
  return (
    <div className="grid-page">
      <div className="grid-head">
        <VersionPicker id={id} search={search} onChange={change} />
        <SlicePicker id={id} search={search} onChange={change} />
        <span className="row labelled-bar">
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
      </div>
      <FilterBar key={search.filter ?? ''} id={id} search={search} onChange={change} />
      <div className="grid-chips">
        <span role="status">{total === undefined ? 'Counting…' : plural(total, 'item')}</span>
        <SimilarChip search={search} onChange={change} />
        <Chips search={search} onChange={change} />
        <span className="grow" />
        {mayReview && (
          <>
            <EditSlice id={id} project={dataset.project} search={search} onChange={change} />
            <SaveSlice id={id} search={search} onChange={change} />
          </>
        )}
      </div>
      <div className="grid-body">
        {dataset.head === null ? (
          <Empty>This dataset has no version yet.{mayBuild && ' Drop a folder of images here, or use “Add files” above.'}</Empty>
        ) : (
          // A change of what is shown begins a new grid: scroll position, focus and selection belong to the old one.
          <SimilarView dataset={dataset} search={search} onChange={change}>
            <Grid key={JSON.stringify(selection)} selection={selection} classes={dataset.classes} tileWanted={tile} />
          </SimilarView>
        )}
        {dataset.head !== null && <FacetPanel facets={facets} classes={dataset.classes} search={search} onChange={change} />}
      </div>
    </div>
  )
}

interface ChipsProps {
  search: GridSearch
  onChange: (search: GridSearch) => void
}

function Chips({ search, onChange }: ChipsProps) {
  const { v, ...filters } = withoutSimilar(search)
  const names = Object.keys(filters) as (keyof typeof filters)[]
  if (names.length === 0) return null
  return (
    <>
      {names.map((name) => (
        <button key={name} type="button" className="button little" onClick={() => onChange(without(search, name))}>
          <span className="cut" title={filterWords(name, filters[name])}>
            {filterWords(name, filters[name])}
          </span>
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
  if (name === 'filter') return String(value)
  if (name === 'ids') return plural(String(value).split(',').length, 'chosen sample')
  return name === 'q' ? `key has “${String(value)}”` : `${name}: ${String(value)}`
}
