import './datasets.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { SlidersHorizontal, X } from 'lucide-react'
import { useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import type { Dataset } from '../../shared/api/types'
import { textOf } from '../../shared/filters/text'
import { count, plural } from '../../shared/format/numbers'
import { KeyCap } from '../../shared/keys/key-cap'
import { type GridSearch, without, withoutSimilar } from '../../shared/routes/grid-search'
import { later } from '../../shared/ui/later'
import { Empty } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'
import { useMedia } from '../../shared/ui/use-media'
import { taskTypeOf } from '../../tasktypes'
import { DatasetFrame } from './dataset-frame'
import { FacetPanel } from './facet-panel'
import { chipsOf } from './filter/chips'
import { FilterBar } from './filter/filter-bar'
import { Grid } from './grid'
import { PredictionsBar } from './predictions/predictions-bar'
import { facetsQuery, selectionOf } from './queries'
import { nextRendering, RenderingPicker, useRendering } from './rendering'
import { SearchField } from './search-field'
import { useChosen } from './selection/use-chosen'
import { useUndo } from '../../shared/edits/use-undo'
import { SimilarChip } from './similar/similar-chip'
import { similarTo } from './similar/similar-to'
import { EditSlice, SaveSlice } from './slices/save-slice'
import { SlicePicker } from './slices/slice-picker'
import { TileSize, useTileSize } from './tile-size'
import { VersionPicker } from './version-picker'

const SimilarView = later(async () => (await import('./similar/similar-view')).SimilarView)

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
  const [rendering, setRendering] = useRendering()
  const mayReview = useMay('review', dataset.project)
  const mayBuild = useMay('build', dataset.project)
  const selection = selectionOf(id, search)
  const facets = useQuery({ ...facetsQuery(selection), enabled: dataset.head !== null })
  const change = (part: GridSearch) => void navigate({ to: '/datasets/$id', params: { id }, search: part })
  const total = dataset.head === null ? 0 : facets.data?.total
  const chosen = useChosen(selection, total ?? 0)
  const undo = useUndo(dataset)
  const [shapes, setShapes] = useState(true)
  // The filter under which another one was refused.
  const [refusedAt, setRefusedAt] = useState<string | null>(null)
  const refused = refusedAt === (search.filter ?? '')
  // On a phone the images come first: what chooses among them is one press away.
  const isPhone = useMedia('(width < 600px)')
  const [open, setOpen] = useState(false)
  const tools = !isPhone || open || refused
  const { answer, title } = taskTypeOf(dataset.task)
  const hasShapes = answer === 'shapes'
  const similar = similarTo(search)
  // A change of what is shown begins a new grid: scroll position and focus belong to the old one.
  const grid = (
    <Grid
      key={JSON.stringify(selection)}
      dataset={dataset}
      selection={selection}
      tileWanted={tile}
      rendering={rendering}
      onRendering={() => setRendering(nextRendering(rendering))}
      predictor={search.model === undefined ? null : { model: search.model, bar: search.bar ?? null }}
      shapes={shapes}
      onShapes={() => setShapes(!shapes)}
      chosen={chosen}
      opens={search.ids !== undefined && !search.ids.includes(',')}
      undo={undo}
      onHead={() => change(without(search, 'v'))}
    />
  )
  return (
    <div className="grid-page">
      {tools && (
        <>
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
            <SearchField key={JSON.stringify([search.q, search.words, search.encoder])} project={dataset.project} search={search} onChange={change} />
          </div>
          <FilterBar key={search.filter ?? ''} id={id} search={search} onChange={change} onRefused={(isRefused) => setRefusedAt(isRefused ? (search.filter ?? '') : null)} />
          <div className="predictions-bar">
            <PredictionsBar dataset={dataset} search={search} onChange={change} />
          </div>
        </>
      )}
      <div className="grid-chips">
        <span role="status">{refused ? 'Nothing: the filter has a fault' : total === undefined ? (facets.isError ? 'Not counted' : 'Counting…') : plural(total, 'item')}</span>
        {total !== undefined && total > 0 && chosen.count === 0 && !refused && (
          <button type="button" className="button little" onClick={chosen.selectAll}>
            Select all
          </button>
        )}
        <SimilarChip search={search} onChange={change} />
        <Chips search={search} onChange={change} />
        <span className="grow" />
        {isPhone && (
          <button type="button" className="button little" aria-expanded={open} onClick={() => setOpen(!open)}>
            <SlidersHorizontal size={14} aria-hidden />
            Filters and view
          </button>
        )}
        {tools && <RenderingPicker rendering={rendering} onChange={setRendering} />}
        {tools && <TileSize size={tile} onChange={setTile} />}
        {tools && hasShapes && (
          <button type="button" className="button little" aria-pressed={shapes} onClick={() => setShapes(!shapes)}>
            {title} <KeyCap scope="items" action="shapes" />
          </button>
        )}
        {tools && mayReview && (
          <>
            <EditSlice id={id} project={dataset.project} search={search} onChange={change} />
            <SaveSlice id={id} search={search} onChange={change} />
          </>
        )}
      </div>
      <div className="grid-body">
        {dataset.head === null ? (
          <Empty>This dataset has no version yet.{mayBuild && ' Drop a folder of images here, or use “Add files” above.'}</Empty>
        ) : refused ? (
          <Empty>The filter above has a fault. Correct it, or clear it to see all samples.</Empty>
        ) : (
          similar === null ? grid : <SimilarView dataset={dataset} search={search} wanted={similar} onChange={change}>{grid}</SimilarView>
        )}
        {tools && dataset.head !== null && <FacetPanel facets={facets} classes={dataset.classes} search={search} onChange={change} />}
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
  const chips = chipsOf(filters)
  if (chips.length === 0) return null
  return (
    <>
      {chips.map(({ words, drop }) => (
        <button key={words} type="button" className="button little" onClick={() => onChange(drop(search))}>
          <span className="cut" title={words}>
            {words}
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
