import { count, duration, percent } from '../../shared/format/numbers'
import type { PersonFigures } from './types'

export function FiguresTable({ figures }: { figures: readonly PersonFigures[] }) {
  return (
    <div className="panel table-scroll">
      <table className="table">
        <caption className="visually-hidden">People, the busiest first</caption>
        <thead>
          <tr>
            <th scope="col">Person</th>
            <th scope="col" className="number">
              Answers
            </th>
            <th scope="col" className="number">
              Skipped
            </th>
            <th scope="col" className="number">
              Labels an hour
            </th>
            <th scope="col" className="number">
              Median time
            </th>
            <th scope="col" className="number">
              Agrees with others
            </th>
            <th scope="col">Correct where the answer is known</th>
          </tr>
        </thead>
        <tbody>
          {[...figures].sort((a, b) => b.answers - a.answers).map((each) => (
            <Row key={each.user.id} of={each} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ of: { user, answers, skipped, labels_per_hour: rate, median_seconds: median, agreement, ...known } }: { of: PersonFigures }) {
  return (
    <tr>
      <th scope="row">{user.username}</th>
      <td className="number">{count(answers)}</td>
      <td className="number">{count(skipped)}</td>
      <td className="number">{rate === null ? '–' : count(rate)}</td>
      <td className="number">{median === null ? '–' : duration(median)}</td>
      <td className="number">{agreement === null ? '–' : percent(agreement, 0)}</td>
      <td>
        <Accuracy {...known} />
      </td>
    </tr>
  )
}

/** The share with its 95 % interval as a bar: a long bar says that there are too few answers to be sure. */
function Accuracy({ gold, accuracy, interval: [low = 0, high = 1] }: Pick<PersonFigures, 'gold' | 'accuracy' | 'interval'>) {
  if (accuracy === null) return <span className="quiet">no gold or random check yet</span>
  return (
    <span className="row accuracy">
      <IntervalBar value={accuracy} low={low} high={high} />
      <span>
        {percent(accuracy, 0)}
        <span className="quiet small">
           ({percent(low, 0)} to {percent(high, 0)}){gold.answers > 0 && `, gold ${gold.correct} of ${gold.answers}`}
        </span>
      </span>
    </span>
  )
}

function IntervalBar({ value, low, high }: { value: number; low: number; high: number }) {
  return (
    <svg className="interval-bar" viewBox="0 0 100 12" width="100" height="12" aria-hidden>
      <line className="track" x1="0" y1="6" x2="100" y2="6" />
      <line className="span" x1={low * 100} y1="6" x2={high * 100} y2="6" />
      <circle cx={value * 100} cy="6" r="4" />
    </svg>
  )
}
