import { Download } from 'lucide-react'

import type { Run } from '../../shared/api/types'
import { bytes, count, when } from '../../shared/format/numbers'
import { MoreRows } from '../../shared/lists/more-rows'
import { useList } from '../../shared/lists/pages'
import { Chip } from '../../shared/ui/chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { snapshotsList } from './queries'

/** The checkpoints that a run kept: the best, and the one that it would resume from. */
export function Snapshots({ run, live }: { run: Run; live: boolean }) {
  const snapshots = useList(snapshotsList(run.id, live))
  return (
    <section className="panel" aria-labelledby="snapshots">
      <div className="panel-head">
        <h2 id="snapshots">Snapshots</h2>
      </div>
      {!snapshots.rows && snapshots.error === null && (
        <div className="panel-body">
          <Skeleton height={80} />
        </div>
      )}
      {!snapshots.rows && snapshots.error !== null && <Failure what="The snapshots could not be loaded" error={snapshots.error} retry={snapshots.retry} />}
      {snapshots.rows?.length === 0 && (
        <Empty>{none(run, live)}</Empty>
      )}
      {snapshots.rows && snapshots.rows.length > 0 && (
        <ul>
          {snapshots.rows.map((one) => (
            <li key={`${one.kind} ${one.step}`} className="snapshot row wrap">
              <Chip tone={one.kind === 'best' ? 'ok' : 'plain'}>{one.kind}</Chip>
              <span>step {count(one.step)}</span>
              <span className="grow" />
              <span className="quiet small">
                {bytes(one.size)}, {when(one.created)}
              </span>
              <a className="button plain icon little" href={one.url} download aria-label={`Download the ${one.kind} snapshot of step ${one.step}`}>
                <Download size={14} aria-hidden />
              </a>
            </li>
          ))}
        </ul>
      )}
      <MoreRows noun="snapshots" reading={snapshots} byHand />
    </section>
  )
}

function none(run: Run, live: boolean): string {
  if (live) return 'No snapshots yet; the first is saved at the first evaluation.'
  if (run.model_version !== null) return 'This run kept no snapshots. Its last weights are a file of the version.'
  return 'This run stopped before its first snapshot: resuming starts from the first step.'
}
