import '../datasets.css'
import './map.css'

import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import type { Dataset, EmbeddingMap } from '../../../shared/api/types'
import { plural, when } from '../../../shared/format/numbers'
import { CancelJob } from '../../../shared/live/cancel-job'
import { useList } from '../../../shared/lists/pages'
import { Picker } from '../../../shared/picking/picker'
import { JobProgress } from '../../../shared/live/job-progress'
import { Empty, Failure, Skeleton } from '../../../shared/ui/messages'
import { RefusableButton } from '../../../shared/ui/refusable-button'
import { taskTypeOf } from '../../../tasktypes'
import { DatasetFrame } from '../dataset-frame'
import { MapView } from './map-view'
import { NewMapDialog } from './new-map-dialog'
import { mapQuery, mapsList, pointsQuery } from './queries'

export function MapPage() {
  const { id } = useParams({ from: '/inside/datasets/$id/map' })
  return (
    <DatasetFrame id={id} filled>
      {(dataset) => <Maps id={id} dataset={dataset} />}
    </DatasetFrame>
  )
}

function Maps({ id, dataset }: { id: string; dataset: Dataset }) {
  const { m } = useSearch({ from: '/inside/datasets/$id/map' })
  const navigate = useNavigate()
  const maps = useList(mapsList(id))
  const wanted = useQuery({ ...mapQuery(id, m ?? 0), enabled: m !== undefined })
  const [making, setMaking] = useState(false)
  const mayBuild = useMay('build', dataset.project)
  const show = (map: number) => void navigate({ to: '/datasets/$id/map', params: { id }, search: { m: map }, replace: true })
  if ((!maps.rows && maps.error === null) || wanted.isLoading) return <Skeleton height={480} />
  if (!maps.rows) return <Failure what="The maps could not be loaded" error={maps.error} retry={maps.retry} />
  const chosen = wanted.data ?? maps.rows.find((map) => map.points !== null) ?? maps.rows[0]
  const make = mayBuild && (
    <RefusableButton className={`button ${chosen ? '' : 'primary'}`} refusal={dataset.head === null ? 'There are no images yet: add files first.' : null} onClick={() => setMaking(true)}>
      <Plus size={14} aria-hidden />
      New map…
    </RefusableButton>
  )
  const notThere = m !== undefined && chosen?.id !== m
  return (
    <div className="map-page">
      {notThere && (
        <p className="message warn" role="status">
          Map {m} is not among the maps of {dataset.name}{chosen && '; another one is shown'}.
        </p>
      )}
      {chosen ? (
        <>
          <div className="grid-head">
            <Picker
              className="map-picker"
              aria-label="Map"
              source={(q) => mapsList(id, { q })}
              choices={(map) => [{ value: String(map.id), words: mapWords(map) }]}
              value={String(chosen.id)}
              shown={mapWords(chosen)}
              onChange={(map) => show(Number(map))}
            />
            <span className="quiet" title={chosen.features.about}>
              by {chosen.features.by}
            </span>
            {chosen.count !== null && <span className="quiet">{plural(chosen.count, 'sample')}</span>}
            {chosen.facts && chosen.facts.left_out > 0 && <span className="quiet">{plural(chosen.facts.left_out, 'sample')} can&rsquo;t be shown: unreadable, or nothing in {chosen.facts.left_out === 1 ? 'it' : 'them'}</span>}
            <span className="grow" />
            {make}
          </div>
          <OneMap key={chosen.id} id={id} map={chosen} dataset={dataset} />
        </>
      ) : (
        <Empty action={make}>
          No maps of this dataset yet. A map places similar samples near each other.
          {mayBuild && dataset.head === null && ' Add images first.'}
        </Empty>
      )}
      {making && (
        <NewMapDialog
          dataset={dataset}
          onClose={() => setMaking(false)}
          onMade={(map) => {
            setMaking(false)
            show(map)
          }}
        />
      )}
    </div>
  )
}

function mapWords(map: EmbeddingMap): string {
  const state = map.points === null ? ` (${map.job.state})` : ''
  return `v${map.version} by ${map.features.by}, ${map.method}, ${when(map.created)}${state}`
}

interface OneMapProps {
  id: string
  map: EmbeddingMap
  dataset: Dataset
}

function OneMap({ id, map, dataset }: OneMapProps) {
  if (map.points !== null) return <Drawn id={id} map={map} dataset={dataset} />
  return (
    <div className="panel panel-body stack map-waits">
      <JobProgress id={map.job.id} what="The map" safe="The dataset was not changed. Create the map again with “New map…”.">
        {() => <p className="quiet">Reading…</p>}
      </JobProgress>
      {(map.job.state === 'running' || map.job.state === 'queued') && (
        <div>
          <CancelJob job={map.job} />
        </div>
      )}
    </div>
  )
}

function Drawn({ id, map, dataset }: OneMapProps) {
  const points = useQuery(pointsQuery(map))
  if (points.isPending) return <Skeleton height={480} />
  if (!points.data) return <Failure what="The points of the map could not be loaded" error={points.error} retry={() => void points.refetch()} />
  return <MapView id={id} map={map} points={points.data} classes={dataset.classes} several={taskTypeOf(dataset.task).answer !== 'class'} />
}
