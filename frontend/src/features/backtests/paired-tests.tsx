import type { Backtest } from '../../shared/api/types'
import { count, percent } from '../../shared/format/numbers'
import { Table, type Column } from '../../shared/lists/table'
import { Chip } from '../../shared/ui/chip'
import { unitsOf } from './units'
import { points, pValue, sameArm } from './words'

const columnsOf = (figure: string): Column[] => [
  'Strategy',
  { name: `Mean ${figure}`, number: true },
  { name: 'Difference', number: true },
  { name: 'Interval', number: true },
  { name: 'p', number: true },
  { name: 'Wins', number: true },
  'Verdict',
]

const level = 0.05

type Test = Backtest['tests'][number]

/** Every strategy by its mean figure over all budgets, the highest first, and against random, seed by seed. */
export function PairedTests({ backtest }: { backtest: Backtest }) {
  const { tests } = backtest
  const { figure } = unitsOf(backtest)
  if (tests.length === 0) return null
  const rows = backtest.curves.filter(({ mean_accuracy: mean }) => mean !== null).sort((a, b) => (b.mean_accuracy ?? 0) - (a.mean_accuracy ?? 0))
  return (
    <section className="panel" aria-labelledby="tests">
      <div className="panel-head">
        <h2 id="tests" className="grow">
          Across all budgets, compared with random
        </h2>
        <span className="quiet small">points of {figure}, paired by seed; p after Holm</span>
      </div>
      <Table caption={`Strategies by mean ${figure}, with paired tests`} columns={columnsOf(figure)}>
        {rows.map((curve, index) => {
          const test = tests.find((each) => sameArm(each, curve))
          return (
            <tr key={index}>
              <th scope="row">{curve.strategy.replaceAll('_', ' ')}</th>
              <td className="number">{percent(curve.mean_accuracy ?? 0)}</td>
              {test ? <Compared test={test} /> : <td colSpan={5} />}
            </tr>
          )
        })}
      </Table>
    </section>
  )
}

function Compared({ test }: { test: Test }) {
  return (
    <>
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
    </>
  )
}

function Verdict({ difference, p }: { difference: number; p: number }) {
  if (p > level) return <Chip>no clear difference</Chip>
  return difference > 0 ? <Chip tone="ok">better</Chip> : <Chip tone="bad">worse</Chip>
}
