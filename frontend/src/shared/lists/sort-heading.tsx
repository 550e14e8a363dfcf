import './sort-heading.css'

import { ArrowDown, ArrowUp } from 'lucide-react'

import type { Order } from './sorting'

interface SortHeadingProps {
  name: string
  by: string
  order: Order
  onOrder: (by: string) => void
  /** What stands below it is read, not counted. */
  isText?: boolean
}

/** A column's heading that sorts by it. */
export function SortHeading({ name, by, order, onOrder, isText = by === 'name' }: SortHeadingProps) {
  const here = order.by === by
  const Arrow = order.down ? ArrowDown : ArrowUp
  return (
    <th scope="col" className={isText ? '' : 'number'} aria-sort={here ? (order.down ? 'descending' : 'ascending') : 'none'}>
      <button type="button" className="sort" onClick={() => onOrder(by)}>
        {name}
        {here && <Arrow size={12} aria-hidden />}
      </button>
    </th>
  )
}
