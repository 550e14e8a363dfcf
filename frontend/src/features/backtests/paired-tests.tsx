import type { Backtest } from '../../shared/api/types'
import { count } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { Chip } from '../../shared/ui/chip'
import { points, pValue } from './words'

const columns = [
  'Strategy',
  { name: 'Difference', number: true },
  { name: 'Interval', number: true },
  { name: 'p', number: true },
  { name: 'Wins', number: true },
  'Verdict',
] as const

const level = 0.05

/** Each strategy against random, seed by seed. */
export function PairedTests({ backtest }: { backtest: Backtest }) {
  if (backtest.tests.length === 0) return null
  return (
    <section className="panel" aria-labelledby="tests">
      <div className="panel-head">
        <h2 id="tests" className="grow">
          Against random
        </h2>
        <span className="quiet small">points of accuracy, paired by seed; p after Holm</span>
      </div>
      <Table caption="Paired tests" columns={columns}>
        {backtest.tests.map((test, index) => (
          <tr key={index}>
            <th scope="row">{test.strategy.replaceAll('_', ' ')}</th>
            <td className="number">{points(test.difference)}</td>
            <td className="number">
              {points(test.low)} to {points(test.high)}
            </td>
            <td className="number">{pValue(test.p_adjusted)}</td>
            <td className="number">
              {count(test.wins)} of {count(test.seeds)}
            </td>
            <td>
              <Verdict difference={test.difference} p={test.p_adjusted} />
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

function Verdict({ difference, p }: { difference: number; p: number }) {
  if (p >= level) return <Chip>no clear difference</Chip>
  return difference > 0 ? <Chip tone="ok">better</Chip> : <Chip tone="bad">worse</Chip>
}
