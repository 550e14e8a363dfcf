import type { ReactNode } from 'react'

/** A heading; `number` stands over figures, `silent` is only heard. */
export type Column = string | { name: string; number?: true; silent?: true }

interface TableProps {
  /** What the rows are, for those who hear it. */
  caption: string
  columns: readonly Column[]
  className?: string
  foot?: ReactNode
  /** The rows. */
  children: ReactNode
}

/** A table that scrolls sideways by itself where it is wider than the page. */
export function Table({ caption, columns, className = '', foot, children }: TableProps) {
  return (
    <div className="table-scroll">
      <table className={`table ${className}`}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={typeof column === 'string' ? column : column.name} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
        {foot}
      </table>
    </div>
  )
}

function Heading({ column }: { column: Column }) {
  const { name, number = false, silent = false } = typeof column === 'string' ? { name: column } : column
  return (
    <th scope="col" className={number ? 'number' : undefined}>
      {silent ? <span className="visually-hidden">{name}</span> : name}
    </th>
  )
}
