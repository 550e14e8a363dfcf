export interface Order {
  by: string
  down: boolean
}

/** The next order after a click on a column: a new one begins with the largest numbers, or names from A. */
export function turned(order: Order, by: string): Order {
  return order.by === by ? { by, down: !order.down } : { by, down: by !== 'name' }
}

/** Rows by one of their values; those without one come last either way, ties stay as they were. */
export function sorted<T>(rows: readonly T[], value: (row: T) => number | string | null, down: boolean): T[] {
  return [...rows].sort((one, other) => {
    const [a, b] = [value(one), value(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    const apart = typeof a === 'string' || typeof b === 'string' ? String(a).localeCompare(String(b), 'en', { numeric: true }) : a - b
    return down ? -apart : apart
  })
}
