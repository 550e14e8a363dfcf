import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import type { MiningJob, Quarantined } from '../../shared/api/types'
import { plural } from '../../shared/format/numbers'
import { Failure } from '../../shared/ui/messages'
import { quarantineQuery } from './queries'

/** Images that could not be scored, and why; nothing is shown where there is none. */
export function QuarantinePanel({ job }: { job: MiningJob }) {
  const quarantine = useInfiniteQuery(quarantineQuery(job.id))
  const images = quarantine.data?.pages.flatMap(({ results }) => results) ?? []
  if (quarantine.isError && !quarantine.data) return <Failure what="The quarantine could not be read" error={quarantine.error} />
  if (images.length === 0) return null
  return (
    <section className="panel" aria-labelledby="quarantine">
      <div className="panel-head">
        <h2 id="quarantine" className="grow">
          Quarantine
        </h2>
        <span className="quiet small">{plural(images.length, 'image')} could not be scored; the rest of the pool was</span>
      </div>
      <div className="table-scroll">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Samples</th>
              <th scope="col">Reason</th>
              <th scope="col">Digest (md5)</th>
            </tr>
          </thead>
          <tbody>
            {images.map((image) => (
              <Row key={image.md5} job={job} image={image} />
            ))}
          </tbody>
        </table>
      </div>
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
