import { Link } from '@tanstack/react-router'

import type { ModelVersionDetail } from '../../shared/api/types'
import { bytes, percent } from '../../shared/format/numbers'
import { Chip } from '../../shared/ui/chip'
import { metricWords } from '../../tasktypes/metric-words'
import { tiny } from './figures'
import { type Variant, variants } from './report'

/** The files of other precisions beside float32. */
export function VariantTable({ detail, headline }: { detail: ModelVersionDetail; headline: string }) {
  const rows = variants(detail.report, detail.metrics, headline)
  const absent = detail.precisions.filter(({ state }) => state !== 'proven')
  if (rows.length + absent.length === 0) return null
  return (
    // A scrolled region must be reachable by keyboard to be scrolled by it.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-scroll" role="region" aria-label="Other precisions" tabIndex={0}>
      <table className="table tight">
        <caption className="visually-hidden">Files of other precisions, compared with float32</caption>
        <thead>
          <tr>
            <th scope="col">Precision</th>
            <th scope="col">Checks</th>
            <th scope="col">TensorRT</th>
            <th scope="col" className="number">
              Size
            </th>
            <th scope="col" className="number">
              {metricWords(headline)}
            </th>
            <th scope="col" className="number">
              Same answer
            </th>
            <th scope="col" className="number">
              Largest difference
            </th>
            <th scope="col" className="number">
              Ranking of scores
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <VariantRow key={row.name} row={row} />
          ))}
          {absent.map(({ precision, state, job }) => (
            <tr key={precision}>
              <th scope="row">{precision}</th>
              <td colSpan={7}>
                {state === 'being_proven' ? <Chip tone="plain">being proved</Chip> : <Chip tone="bad">not proved</Chip>}
                <span className="quiet small">
                  {' by '}
                  <Link to="/jobs/$id" params={{ id: String(job) }}>
                    job {job}
                  </Link>
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function VariantRow({ row }: { row: Variant }) {
  return (
    <tr>
      <th scope="row">{row.name}</th>
      <td>
        <Chip tone={row.ready ? 'ok' : 'bad'}>{row.ready ? 'ready' : 'not ready'}</Chip>
      </td>
      <td>
        <Chip tone={row.tensorrt.tone}>{row.tensorrt.words}</Chip>
      </td>
      <td className="number">{row.bytes === null ? '–' : bytes(row.bytes)}</td>
      <td className="number">
        {row.value === null ? '–' : percent(row.value)}
        {row.drop !== null && <span className="quiet small"> {points(row.drop)}</span>}
      </td>
      <td className="number">{row.top1 === null ? '–' : percent(row.top1, 2)}</td>
      <td className="number">{row.maxError === null ? '–' : tiny(row.maxError)}</td>
      <td className="number">
        {row.spearman === null ? '–' : `Spearman ${row.spearman.toFixed(3)}`}
        {row.overlap.map(({ k, share }) => (
          <span key={k} className="quiet small">
            {' '}
            · top {k}: {percent(share, 0)}
          </span>
        ))}
      </td>
    </tr>
  )
}

/** A drop in points: `0.004` -> `(−0.4 points)`. */
function points(drop: number): string {
  const gained = -drop * 100
  return `(${gained > 0 ? '+' : gained < 0 ? '−' : '±'}${Math.abs(gained).toFixed(1)} points)`
}
