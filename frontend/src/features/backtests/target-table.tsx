import type { Backtest } from '../../shared/api/types'
import { count, percent } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { savedWords } from './words'

const columns = [
  'Strategy',
  { name: 'Median', number: true },
  { name: 'Interval', number: true },
  { name: 'Reached', number: true },
  { name: 'Saved', number: true },
] as const

/** How many labels each strategy needed to reach the target. */
export function TargetTable({ backtest }: { backtest: Backtest }) {
  const { labels_to_target: rows, target } = backtest
  if (rows.length === 0) return null
  return (
    <section className="panel" aria-labelledby="to-target">
      <div className="panel-head">
        <h2 id="to-target">Labels to {target === null ? 'the target' : percent(target)}</h2>
      </div>
      <Table caption="Labels that each strategy needed" columns={columns}>
        {rows.map((row, index) => (
          <tr key={index}>
            <th scope="row">{row.strategy.replaceAll('_', ' ')}</th>
            <td className="number">{row.median === null ? 'not reached' : count(row.median)}</td>
            <td className="number">{row.low === null || row.high === null ? '–' : `${count(row.low)} to ${count(row.high)}`}</td>
            <td className="number">
              {count(row.reached)} of {count(row.seeds)}
            </td>
            <td className="number">{savedWords(row)}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
}
