import { count, percent } from '../format/numbers'
import type { Series } from './series'

/** The curve in numbers, for those who cannot see it or want to copy it. */
export function CurveTable({ series, counted = 'Labels' }: { series: Series[]; counted?: string }) {
  const labels = [...new Set(series.flatMap((line) => line.points.map((point) => point.labels)))].sort((a, b) => a - b)
  return (
    <details>
      <summary className="quiet small">The curve in numbers</summary>
      <div className="table-scroll">
        <table className="table" style={{ width: 'auto' }}>
          <thead>
            <tr>
              <th scope="col" className="number">
                {counted}
              </th>
              {series.map((line) => (
                <th key={line.id} scope="col" className="number">
                  {line.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((amount) => (
              <tr key={amount}>
                <th scope="row" className="number">
                  {count(amount)}
                </th>
                {series.map((line) => (
                  <td key={line.id} className="number">
                    <Cell line={line} labels={amount} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

function Cell({ line, labels }: { line: Series; labels: number }) {
  const point = line.points.find((each) => each.labels === labels)
  if (!point) return <>–</>
  const band = point.low !== null && point.high !== null ? ` (${percent(point.low)} to ${percent(point.high)})` : ''
  return (
    <>
      {percent(point.value, 2)}
      {band}
      {point.more !== undefined && <span className="quiet">, {point.more}</span>}
    </>
  )
}
