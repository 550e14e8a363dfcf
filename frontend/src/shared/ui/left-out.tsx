import { Link } from '@tanstack/react-router'

import { leftOutWords } from '../format/left-out'

interface LeftOutProps {
  dataset: string
  /** How many; nothing is said where there are none or nobody counted. */
  number: unknown
  /** What they are, one of them and several. */
  one: string
  many: string
}

/** How many samples were left out because test images show nearly the same, and the way to them. */
export function LeftOut({ dataset, number, one, many }: LeftOutProps) {
  const words = leftOutWords(number, one, many)
  if (words === null) return null
  return (
    <p className="quiet" role="note">
      {words}{' '}
      <Link to="/datasets/$id/near-duplicates" params={{ id: dataset }}>
        Near-duplicates of {dataset}
      </Link>
    </p>
  )
}
