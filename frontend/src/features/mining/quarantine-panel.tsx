import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import type { MiningJob, Quarantined } from '../../shared/api/types'
import { plural } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { Failure } from '../../shared/ui/messages'
import { quarantineList } from './queries'

const columns = ['Samples', 'Reason', 'Digest (md5)'] as const

/** Images that could not be scored, and why; nothing is shown where there is none. */
export function QuarantinePanel({ job }: { job: MiningJob }) {
  const quarantine = useInfiniteQuery(quarantineList(job.id))
  const images = quarantine.data?.pages.flatMap(({ results }) => results) ?? []
  if (quarantine.isError && !quarantine.data) return <Failure what="The quarantine could not be loaded" error={quarantine.error} />
  if (images.length === 0) return null
  return (
    <section className="panel" aria-labelledby="quarantine">
      <div className="panel-head">
        <h2 id="quarantine" className="grow">
          Quarantine
        </h2>
        <span className="quiet small">{plural(images.length, 'image')} could not be scored; the rest of the pool was</span>
      </div>
      <Table caption="Images in quarantine" columns={columns}>
        {images.map((image) => (
          <Row key={image.md5} job={job} image={image} />
        ))}
      </Table>
      {quarantine.hasNextPage && (
        <div className="panel-body">
          <button type="button" className="button" disabled={quarantine.isFetchingNextPage} onClick={() => void quarantine.fetchNextPage()}>
            Show more
          </button>
        </div>
      )}
    </section>
  )
}

function Row({ job, image }: { job: MiningJob; image: Quarantined }) {
  return (
    <tr>
      <td>
        {image.keys.map((key) => (
          <p key={key}>
            <Link to="/datasets/$id" params={{ id: job.dataset }} search={{ v: job.version, q: key }} className="mono">
              {key}
            </Link>
          </p>
        ))}
      </td>
      <td>
        {image.detail} <span className="quiet mono">{image.code}</span>
      </td>
      <td className="mono">{image.md5}</td>
    </tr>
  )
}
