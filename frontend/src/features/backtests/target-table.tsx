import type { Backtest } from '../../shared/api/types'
import { count, percent } from '../../shared/format/numbers'
import { capital } from '../../shared/format/numbers'
import { Table, type Column } from '../../shared/lists/table'
import { unitsOf } from './units'
import { savedWords } from './words'

const columns: Column[] = [
  'Strategy',
  { name: 'Median', number: true },
  { name: 'Interval', number: true },
  { name: 'Reached', number: true },
  { name: 'Saved', number: true },
]

const columnsOf = (objects: string | null): Column[] => (objects === null ? columns : [...columns, { name: `${capital(objects)}, median`, number: true }, { name: `${capital(objects)} saved`, number: true }])

/** How many labels each strategy needed to reach the target. */
export function TargetTable({ backtest }: { backtest: Backtest }) {
  const { labels_to_target: rows, target } = backtest
  const { labels, objects } = unitsOf(backtest)
  if (rows.length === 0) return null
  return (
    <section className="panel" aria-labelledby="to-target">
      <div className="panel-head">
        <h2 id="to-target">
          {capital(labels)} to {target === null ? 'the target' : percent(target)}
        </h2>
      </div>
      <Table caption={`${capital(labels)} that each strategy needed`} columns={columnsOf(objects)}>
        {rows.map((row, index) => (
          <tr key={index}>
            <th scope="row">{row.strategy.replaceAll('_', ' ')}</th>
            <td className="number">{row.median === null ? 'not reached' : count(row.median)}</td>
            <td className="number">{row.low === null || row.high === null ? '–' : `${count(row.low)} to ${count(row.high)}`}</td>
            <td className="number">
              {count(row.reached)} of {count(row.seeds)}
            </td>
            <td className="number">{savedWords(row)}</td>
            {objects !== null && (
              <>
                <td className="number">{row.objects === null ? '–' : count(Math.round(row.objects))}</td>
                <td className="number">{savedWords({ saved: row.objects_saved, saved_at_least: false })}</td>
              </>
            )}
          </tr>
        ))}
      </Table>
    </section>
  )
}
