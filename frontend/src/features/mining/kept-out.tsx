import { Link } from '@tanstack/react-router'

import { count } from '../../shared/format/numbers'

const ofLabelledBytes = 'of the bytes of a labelled sample'

/** How many samples of the pool were no candidates, or could not join the batch, by the rule that kept them out. */
export function KeptOut({ dataset, rules }: { dataset: string; rules: unknown }) {
  const rows = typeof rules === 'object' && rules !== null ? Object.entries(rules).filter(([, number]) => typeof number === 'number') : []
  if (rows.length === 0) return null
  return (
    <p className="quiet" role="note">
      Not picked: {rows.map(([words, number]) => `${count(number as number)} ${words}`).join(', ')}.{' '}
      {rows.some(([words]) => words === ofLabelledBytes) && (
        <Link to="/datasets/$id/near-duplicates" params={{ id: dataset }}>
          Take over their labels
        </Link>
      )}
    </p>
  )
}
