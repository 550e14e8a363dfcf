import { Link } from '@tanstack/react-router'

import type { QuarantineSummary } from '../../shared/api/types'
import { count, plural } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'

const columns = ['Image', 'Reason', 'Found by'] as const

/** Images that jobs could not read. */
export function QuarantinePanel({ quarantined: { images, results } }: { quarantined: QuarantineSummary }) {
  return (
    <section className="panel" aria-labelledby="quarantine">
      <div className="panel-head">
        <h2 id="quarantine" className="grow">
          Quarantined images
        </h2>
        {images > 0 && <span className="quiet small">{plural(images, 'image')}; jobs pass them over and go on</span>}
      </div>
      {images === 0 && <p className="panel-body quiet">No quarantined images: jobs could read every image.</p>}
      {results.length > 0 && (
        <Table caption="Images in quarantine, the newest first" columns={columns} className="tight">
          {results.map((image) => (
            <tr key={image.digest}>
              <th scope="row" className="mono">
                {image.sample !== null && image.dataset !== null ? (
                  <Link to="/datasets/$id" params={{ id: image.dataset }} search={{ q: image.sample }}>
                    {image.dataset} · {image.sample}
                  </Link>
                ) : (
                  image.digest
                )}
              </th>
              <td>{image.reason}</td>
              <td>
                <Link to="/jobs/$id" params={{ id: String(image.job) }}>
                  job {image.job}
                </Link>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {results.length > 0 && images > results.length && <p className="panel-body quiet small">The newest {count(results.length)} are shown.</p>}
    </section>
  )
}
