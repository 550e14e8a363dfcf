import './labeling.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'

import { queueQuery } from '../../shared/api/queries'
import type { Queue } from '../../shared/api/types'
import { poll } from '../../shared/live/interval'
import { later } from '../../shared/ui/later'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { OneTab } from './one-tab'
import { useSavedCounts } from './use-saved-counts'

const CanvasWorkspace = later(async () => (await import('./canvas/workspace')).CanvasWorkspace, <Loading />)
const ClassifyWorkspace = later(async () => (await import('./classify-workspace')).ClassifyWorkspace, <Loading />)
const GridWorkspace = later(async () => (await import('./grid/grid-workspace')).GridWorkspace, <Loading />)

export function WorkspacePage() {
  const { queue: id } = useParams({ from: '/inside/label/$queue' })
  const queue = useQuery({ ...queueQuery(id), refetchInterval: poll(() => 'queued') })
  if (queue.isPending) return <Loading />
  if (!queue.data) {
    return (
      <div className="page">
        <Failure
          what="The queue could not be loaded"
          error={queue.error}
          safe="Labels that are not saved yet are kept on this computer."
          retry={() => void queue.refetch()}
          elsewhere={<Link to="/label" className="button">To the queues</Link>}
        />
      </div>
    )
  }
  return <InOneTab key={String(queue.data.id)} address={id} queue={queue.data} />
}

interface WorkspaceProps {
  address: string
  queue: Queue
}

/** The same images in two tabs would be answered twice: one of them labels, the other says so. */
function InOneTab({ address, queue }: WorkspaceProps) {
  const [tab] = useState(() => new OneTab(`motherlode label ${String(queue.id)}`, (navigator as Partial<Navigator>).locks))
  const hold = useSyncExternalStore(tab.subscribe, tab.snapshot)
  useEffect(() => tab.open(), [tab])
  if (hold === 'asking') return <Loading />
  if (hold === 'here') {
    return <Workspace address={address} queue={queue} />
  }
  return (
    <div className="page">
      <h1>{queue.name}</h1>
      <Empty
        action={
          <span className="row">
            <button type="button" className="button primary" onClick={() => tab.takeOver()}>
              Label here instead
            </button>
            <Link to="/label" className="button">
              Other queues
            </Link>
          </span>
        }
      >
        You are labelling this queue in another tab of this browser. Both would show you the same images, so you can label in only one of them.
      </Empty>
    </div>
  )
}

function Workspace({ address, queue }: WorkspaceProps) {
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
