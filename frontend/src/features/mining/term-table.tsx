import type { Explanation } from '../../shared/api/types'
import { count } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { factorShares, factorWords, figure, productOf } from './explanation'

const columns = ['Term', { name: 'Value', number: true }, { name: 'Factor', number: true }, { name: 'Rank', number: true }] as const

/** The factors of a score, which multiply up to it. */
export function TermTable({ explanation }: { explanation: Explanation }) {
  const { terms } = explanation
  const shares = factorShares(terms)
  return (
    <Table caption="Parts of the score" columns={columns} className="terms" foot={<Product explanation={explanation} />}>
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
    </Table>
  )
}

function Product({ explanation }: { explanation: Explanation }) {
  return (
    <tfoot>
      <tr>
        <th scope="row">Score</th>
        <td />
        <td className="number">= {figure(productOf(explanation))}</td>
        <td />
      </tr>
    </tfoot>
  )
}
