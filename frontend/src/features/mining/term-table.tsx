import type { Explanation } from '../../shared/api/types'
import { count } from '../../shared/format/numbers'
import { factorShares, factorWords, figure, productOf } from './explanation'

/** The factors of a score, which multiply up to it. */
export function TermTable({ explanation }: { explanation: Explanation }) {
  const { terms } = explanation
  const shares = factorShares(terms)
  return (
    <div className="table-scroll">
      <table className="table terms">
        <caption className="visually-hidden">Terms of the score</caption>
        <thead>
          <tr>
            <th scope="col">Term</th>
            <th scope="col" className="number">
              Value
            </th>
            <th scope="col" className="number">
              Factor
            </th>
            <th scope="col" className="number">
              Rank
            </th>
          </tr>
        </thead>
        <tbody>
          {terms.map((term, index) => (
            <tr key={term.name}>
              <th scope="row">
                {term.name.replaceAll('_', ' ')}
                <span className="factor" style={{ width: `${(shares[index] ?? 0) * 100}%` }} aria-hidden />
              </th>
              <td className="number">{factorWords(term)}</td>
              <td className="number">
                {index === 0 ? '' : '× '}
                {figure(term.contribution)}
              </td>
              <td className="number">
                {count(term.rank)} <span className="quiet">of {count(term.of)}</span>
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Score</th>
            <td />
            <td className="number">= {figure(productOf(explanation))}</td>
            <td />
          </tr>
        </tfoot>
      </table>
    </div>
  )
}
