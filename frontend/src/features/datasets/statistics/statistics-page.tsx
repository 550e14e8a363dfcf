import '../datasets.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'

import type { Dataset, Statistics } from '../../../shared/api/types'
import { type Bar, BarList } from '../../../shared/charts/bar-list'
import { both, textOf } from '../../../shared/filters/text'
import { count, plural } from '../../../shared/format/numbers'
import type { GridSearch } from '../../../shared/routes/grid-search'
import { Empty, Failure, Skeleton } from '../../../shared/ui/messages'
import { Swatch } from '../../../shared/ui/swatch'
import { DatasetFrame } from '../dataset-frame'
import { FilterBar } from '../filter/filter-bar'
import { statisticsQuery } from '../queries'
import { SlicePicker } from '../slices/slice-picker'
import { VersionPicker } from '../version-picker'
import { Pictures } from './pictures'

export function StatisticsPage() {
  const { id } = useParams({ from: '/inside/datasets/$id/statistics' })
  const search = useSearch({ from: '/inside/datasets/$id/statistics' })
  return (
    <DatasetFrame id={id} filter={textOf(search)} {...(search.v === undefined ? {} : { version: search.v })}>
      {(dataset) => <Figures id={id} dataset={dataset} search={search} />}
    </DatasetFrame>
  )
}

interface FiguresProps {
  id: string
  dataset: Dataset
  search: GridSearch
}

function Figures({ id, dataset, search }: FiguresProps) {
  const navigate = useNavigate()
  const filter = textOf(search)
  const figures = useQuery({ ...statisticsQuery(id, search.v ?? 'head', filter), enabled: dataset.head !== null })
  const change = (part: GridSearch) => void navigate({ to: '/datasets/$id/statistics', params: { id }, search: part })
  if (dataset.head === null) return <Empty>This dataset has no version yet. Add files to create the first one.</Empty>
  return (
    <div className="page stack">
      <div className="row wrap">
        <VersionPicker id={id} search={search} onChange={change} />
        <SlicePicker id={id} search={search} onChange={change} />
        <FilterBar key={search.filter ?? ''} id={id} search={search} onChange={change} />
      </div>
      {figures.isPending && <Skeleton height={480} />}
      {figures.isError && !figures.data && <Failure what="The statistics could not be loaded" error={figures.error} retry={() => void figures.refetch()} />}
      {figures.data && <Panels id={id} classes={dataset.classes} figures={figures.data} search={search} />}
    </div>
  )
}

interface Counted extends Bar {
  filter: string | null
}

function Panels({ id, classes, figures, search }: { id: string; classes: string[]; figures: Statistics; search: GridSearch }) {
  const { objects } = figures
  const link = (bar: Counted, children: ReactNode) => (
    <Link to="/datasets/$id" params={{ id }} search={{ ...(search.v === undefined ? {} : { v: search.v }), filter: both(textOf(search), bar.filter ?? '') }}>
      {children}
    </Link>
  )
  const perClass: Counted[] = figures.classes.map((each) => ({
    name: each.class,
    count: each.objects ?? each.images,
    note: each.objects === null ? `(${splitWords(each.by_split)})` : `in ${plural(each.images, 'image')}`,
    mark: <Swatch classes={classes} name={each.class} />,
    filter: each.filter,
  }))
  return (
    <>
      <p role="status">
        {plural(figures.images, 'image')}, {count(figures.labelled)} labelled ({splitWords(figures.by_split)}).
        {objects && ` ${plural(objects.boxes, 'box', 'boxes')}, ${plural(objects.polygons, 'polygon')}, ${plural(objects.ignored, 'ignore region')}; ${plural(objects.images_without, 'labelled image')} without an object.`}
      </p>
      <Pictures id={id} classes={classes} search={search} groups={perClass.filter(({ count }) => count > 0)} />
      <div className="statistics">
        <BarList title={objects ? 'Objects by class' : 'Images by class'} bars={perClass} link={link} />
        {objects && (
          <>
            <BarList title="Objects in an image" hint="Labelled images by how many objects they have." bars={objects.per_image} link={link} />
            <BarList title="Size" hint="COCO sizes: small is under 32², large is 96² square pixels or more." bars={objects.sizes} link={link} />
            <BarList title="Side in pixels" hint="Objects by the square root of their area." bars={objects.sides} link={link} />
            <BarList title="Width / height" bars={objects.aspects} link={link} />
            <BarList title="Classes in the same image" hint="Pairs of classes, by images." bars={objects.together.map((pair) => ({ name: pair.classes.join(' + '), count: pair.images, filter: pair.filter }))} link={link} />
            {objects.attributes.map((attribute) => (
              <BarList key={attribute.name} title={`Attribute ${attribute.name}`} hint={attributeWords(attribute)} bars={attribute.values.map(({ value, ...each }) => ({ ...each, name: String(value) }))} link={link} />
            ))}
          </>
        )}
      </div>
    </>
  )
}

function splitWords(splits: Record<string, number>): string {
  return Object.entries(splits)
    .map(([split, amount]) => `${count(amount)} ${split}`)
    .join(', ')
}

function attributeWords({ objects, others, min, max }: { objects: number; others: number; min: number | null; max: number | null }): string {
  const range = min === null || max === null ? '' : ` Numbers from ${min} to ${max}.`
  return `${plural(objects, 'object')} with it.${others > 0 ? ` ${count(others)} with other values.` : ''}${range}`
}
