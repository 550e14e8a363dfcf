import './datasets.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import type { Dataset } from '../../shared/api/types'
import { textOf } from '../../shared/filters/text'
import { count, plural } from '../../shared/format/numbers'
import { KeyCap } from '../../shared/keys/key-cap'
import { type GridSearch, without, withoutSimilar } from '../../shared/routes/grid-search'
import { Empty } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'
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
  const { answer, title } = taskTypeOf(dataset.task)
  const hasShapes = answer === 'shapes'
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
        <SearchField key={JSON.stringify([search.q, search.words, search.encoder])} project={dataset.project} search={search} onChange={change} />
      </div>
      <FilterBar key={search.filter ?? ''} id={id} search={search} onChange={change} />
      <div className="predictions-bar">
        <PredictionsBar dataset={dataset} search={search} onChange={change} />
      </div>
      <div className="grid-chips">
        <span role="status">{total === undefined ? (facets.isError ? 'Not counted' : 'Counting…') : plural(total, 'item')}</span>
        {total !== undefined && total > 0 && chosen.count === 0 && (
          <button type="button" className="button little" onClick={chosen.selectAll}>
            Select all
          </button>
        )}
        <SimilarChip search={search} onChange={change} />
        <Chips search={search} onChange={change} />
        <span className="grow" />
        <RenderingPicker rendering={rendering} onChange={setRendering} />
        <TileSize size={tile} onChange={setTile} />
        {hasShapes && (
          <button type="button" className="button little" aria-pressed={shapes} onClick={() => setShapes(!shapes)}>
            {title} <KeyCap scope="items" action="shapes" />
          </button>
        )}
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
          // A change of what is shown begins a new grid: scroll position and focus belong to the old one.
          <SimilarView dataset={dataset} search={search} onChange={change}>
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
              undo={undo}
              onHead={() => change(without(search, 'v'))}
            />
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
