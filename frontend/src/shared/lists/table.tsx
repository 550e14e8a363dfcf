import { useEffect, useRef, useState, type ReactNode } from 'react'

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

export function Table({ caption, columns, className = '', foot, children }: TableProps) {
  return (
    <ScrollingTable caption={caption} className={className}>
      <thead>
        <tr>
          {columns.map((column) => (
            <Heading key={typeof column === 'string' ? column : column.name} column={column} />
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
      {foot}
    </ScrollingTable>
  )
}

/** A table that scrolls sideways by itself where it is wider than the page, then also by keys. */
export function ScrollingTable({ caption, className = '', children }: Pick<TableProps, 'caption' | 'className' | 'children'>) {
  const host = useRef<HTMLDivElement>(null)
  const [scrolls, setScrolls] = useState(false)
  useEffect(() => {
    const element = host.current
    if (!element) return
    const observer = new ResizeObserver(() => setScrolls(element.scrollWidth > element.clientWidth))
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  return (
    <div ref={host} className="table-scroll" {...(scrolls ? { role: 'region', 'aria-label': caption, tabIndex: 0 } : {})}>
      <table className={`table ${className}`}>
        <caption className="visually-hidden">{caption}</caption>
        {children}
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
