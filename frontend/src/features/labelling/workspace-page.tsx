import './labelling.css'

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'

import { queueQuery } from '../../shared/api/queries'
import type { Queue } from '../../shared/api/types'
import { poll } from '../../shared/live/interval'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { useSavedCounts } from './use-saved-counts'

const CanvasWorkspace = lazy(() => import('./canvas/workspace').then((module) => ({ default: module.CanvasWorkspace })))
const ClassifyWorkspace = lazy(() => import('./classify-workspace').then((module) => ({ default: module.ClassifyWorkspace })))
const GridWorkspace = lazy(() => import('./grid/grid-workspace').then((module) => ({ default: module.GridWorkspace })))

export function WorkspacePage() {
  const { queue: id } = useParams({ from: '/inside/label/$queue' })
  const queue = useQuery({ ...queueQuery(id), refetchInterval: poll(() => 'queued') })
  if (queue.isPending) return <Loading />
  if (!queue.data) {
    return (
      <div className="page">
        <Failure
          what="The queue could not be read"
          error={queue.error}
          safe="Labels that are not saved yet are kept on this computer."
          retry={() => void queue.refetch()}
        />
      </div>
    )
  }
  return (
    <Suspense fallback={<Loading />}>
      <Workspace key={String(queue.data.id)} address={id} queue={queue.data} />
    </Suspense>
  )
}

function Workspace({ address, queue }: { address: string; queue: Queue }) {
  useSavedCounts(address, queue.id)
  switch (queue.kind) {
    case 'boxes':
    case 'polygons':
      return <CanvasWorkspace queue={queue} />
    case 'grid':
      return <GridWorkspace queue={queue} />
    default:
      return <ClassifyWorkspace queue={queue} />
  }
}

function Loading() {
  return (
    <div className="page" aria-busy>
      <Skeleton height={28} width={280} />
      <Skeleton height={480} />
    </div>
  )
}
