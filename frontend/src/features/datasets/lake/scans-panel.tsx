import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'

import type { Dataset, LakeScan } from '../../../shared/api/types'
import { count, percent, when } from '../../../shared/format/numbers'
import { JobCell } from '../../../shared/lists/job-cell'
import { Table } from '../../../shared/lists/table'
import { Failure, Skeleton } from '../../../shared/ui/messages'
import { lakeQuery, scansQuery } from './queries'

const columns = ['Scan', 'State', 'Strategy', 'Model', 'Frames', { name: 'Picks', number: true }, 'Queue', 'When'] as const

/** Scans, the newest first, and what came of them. */
export function ScansPanel({ dataset }: { dataset: Dataset }) {
  const scans = useInfiniteQuery(scansQuery(dataset.name))
  const client = useQueryClient()
  const rows = scans.data?.pages.flatMap(({ results }) => results) ?? []
  const chosen = rows.filter(({ stats }) => typeof stats.picked === 'number').length
  // What a scan has brought in counts among the samples, which are shown above.
  useEffect(() => void client.invalidateQueries({ queryKey: lakeQuery(dataset.name).queryKey, exact: true }), [client, chosen, dataset.name])
  if (scans.isPending) return <Skeleton height={80} />
  if (!scans.data) return <Failure what="The scans could not be loaded" error={scans.error} retry={() => void scans.refetch()} />
  if (rows.length === 0) return null
  return (
    <section className="stack" aria-labelledby="lake-scans">
      <h2 id="lake-scans">Scans</h2>
      <Table caption="Scans, newest first" columns={columns}>
        {rows.map((scan) => (
          <Row key={scan.id} scan={scan} />
        ))}
      </Table>
      {scans.hasNextPage && (
        <button type="button" className="button" disabled={scans.isFetchingNextPage} onClick={() => void scans.fetchNextPage()}>
          Show more
        </button>
      )}
    </section>
  )
}

function Row({ scan }: { scan: LakeScan }) {
  const name = `Scan ${scan.id}`
  return (
    <tr>
      <th scope="row">
        {scan.mining === null ? (
          name
        ) : (
          <Link to="/mining/$job" params={{ job: String(scan.mining) }}>
            {name}
          </Link>
        )}
      </th>
      <td>
        <JobCell job={scan.job} name={name} />
      </td>
      <td>{scan.strategy.name.replaceAll('_', ' ')}</td>
      <td>{scan.model}</td>
      <td>{[scan.prefix && `${scan.prefix}…`, ...scan.where].filter(Boolean).join(', ') || 'all'}</td>
      <td className="number">
        {picked(scan)}
        {scan.control > 0 && <span className="quiet small"> {percent(scan.control, 0)} random</span>}
      </td>
      <td>
        {scan.queue === null ? (
          (refusal(scan) ?? '–')
        ) : (
          <Link to="/label/$queue" params={{ queue: scan.queue }}>
            {scan.queue}
          </Link>
        )}
      </td>
      <td className="quiet">{when(scan.created)}</td>
    </tr>
  )
}

function picked({ stats, count: wanted, version }: LakeScan): string {
  const found = stats.picked
  if (typeof found !== 'number') return count(wanted)
  const counted = (name: string, words: string) => {
    const some = stats[name]
    return typeof some === 'number' && some > 0 ? `, ${count(some)} ${words}` : ''
  }
  const left = counted('refused', 'refused') + counted('without_value', 'without the value asked for')
  return (version === null ? 'none' : `${count(found)} in v${version}`) + left
}

/** Why its queue was not made. */
function refusal({ stats }: LakeScan): string | null {
  return typeof stats.queue_refused === 'string' ? stats.queue_refused : null
}
