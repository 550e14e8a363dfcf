import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'

import type { JobDetail, Shard } from '../../shared/api/types'
import { count, duration } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { Chip, type Tone } from '../../shared/ui/chip'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { shardsList } from './queries'

const columns = [{ name: 'Shard', number: true }, 'State', { name: 'Done', number: true }, { name: 'Attempts', number: true }, 'Worker', { name: 'Duration', number: true }, 'Error'] as const
const tones: Record<string, Tone> = { done: 'ok', failed: 'bad', running: 'live' }

/** The units of a job; those that failed say what with. */
export function ShardsPanel({ job }: { job: JobDetail }) {
  const [failed, setFailed] = useState(job.failed_shards > 0)
  const shards = useInfiniteQuery(shardsList(job, failed))
  const rows = shards.data?.pages.flatMap(({ results }) => results) ?? []
  return (
    <section className="panel" aria-labelledby="shards">
      <div className="panel-head">
        <h2 id="shards" className="grow">
          Shards
        </h2>
        <label className="check">
          <input type="checkbox" checked={failed} onChange={({ target }) => setFailed(target.checked)} />
          only failed ones
        </label>
      </div>
      {shards.isPending && (
        <div className="panel-body">
          <Skeleton height={80} />
        </div>
      )}
      {shards.isError && !shards.data && <Failure what="The shards could not be loaded" error={shards.error} retry={() => void shards.refetch()} />}
      {shards.data && rows.length === 0 && <p className="panel-body quiet">{failed ? 'No shard failed.' : 'This job has no shards.'}</p>}
      {rows.length > 0 && (
        <Table caption={`Shards of ${job.title}`} columns={columns} className="tight">
          {rows.map((shard) => (
            <ShardRow key={shard.index} shard={shard} />
          ))}
        </Table>
      )}
      {shards.hasNextPage && (
        <div className="panel-body">
          <button type="button" className="button" disabled={shards.isFetchingNextPage} onClick={() => void shards.fetchNextPage()}>
            Show more
          </button>
        </div>
      )}
    </section>
  )
}

function ShardRow({ shard }: { shard: Shard }) {
  const { started, finished } = shard
  return (
    <tr>
      <th scope="row" className="number">
        {shard.index}
      </th>
      <td>
        <Chip tone={tones[shard.state] ?? 'plain'}>{shard.state}</Chip>
      </td>
      <td className="number">
        {count(shard.units_done)} of {count(shard.units)}
      </td>
      <td className="number">{count(shard.attempts)}</td>
      <td className="mono">{shard.owner === '' ? '–' : shard.owner}</td>
      <td className="number">{started === null || finished === null ? '–' : duration((Date.parse(finished) - Date.parse(started)) / 1_000)}</td>
      <td className="small">{shard.error === '' ? '–' : shard.error}</td>
    </tr>
  )
}
