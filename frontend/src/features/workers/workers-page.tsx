import './workers.css'

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { Failure, Empty, Skeleton } from '../../shared/ui/messages'
import { MachinePanel } from './machine-panel'
import { QuarantinePanel } from './quarantine-panel'
import { QueuesPanel } from './queues-panel'
import { workersQuery } from './queries'
import { SharesPanel } from './shares-panel'
import { VersionsNote } from './versions-note'

/** The machines that do the work, what each of their workers is busy with, and what waits for them. */
export function WorkersPage() {
  const workers = useQuery(workersQuery)
  return (
    <div className="page">
      <header className="page-head">
        <h1 className="grow">Workers</h1>
        <Link to="/jobs" className="button">
          Jobs
        </Link>
      </header>
      {workers.isPending && (
        <>
          <Skeleton height={240} />
          <Skeleton height={160} />
        </>
      )}
      {workers.isError && !workers.data && (
        <Failure what="The workers could not be loaded" error={workers.error} safe="Jobs continue without this page." retry={() => void workers.refetch()} />
      )}
      {workers.data?.machines.length === 0 && (
        <div className="panel">
          <Empty
            action={
              <Link to="/jobs" search={{ state: 'queued' }} className="button">
                What waits
              </Link>
            }
          >
            No worker has reported in the last minute, so jobs are waiting. Start the platform with make up, or a worker on another machine.
          </Empty>
        </div>
      )}
      {workers.data && (
        <>
          <VersionsNote versions={workers.data.versions} />
          {workers.data.machines.map((machine) => (
            <MachinePanel key={machine.name} machine={machine} />
          ))}
          <QueuesPanel queues={workers.data.queues} />
          <SharesPanel quotas={workers.data.projects} />
          <QuarantinePanel quarantined={workers.data.quarantined} />
        </>
      )}
    </div>
  )
}
