import type { ReactNode } from 'react'

import { count } from '../format/numbers'
import { Failure, Skeleton } from '../ui/messages'

/** What a list has read so far, whichever kind of query read it. */
export interface Reading<Row> {
  /** Undefined before the first answer. */
  rows: readonly Row[] | undefined
  error: unknown
  retry: () => void
  /** Reads older rows, where there are any. */
  older: { busy: boolean; read: () => void } | null
}

interface PlainQuery<Row> {
  data: readonly Row[] | undefined
  error: unknown
  refetch: () => Promise<unknown>
}

export function wholeList<Row>({ data, error, refetch }: PlainQuery<Row>): Reading<Row> {
  return { rows: data, error, retry: () => void refetch(), older: null }
}

interface PagedQuery<Row> {
  data: { pages: { results: Row[] }[] } | undefined
  error: unknown
  refetch: () => Promise<unknown>
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => Promise<unknown>
}

export function pagedList<Row>(query: PagedQuery<Row>): Reading<Row> {
  return {
    rows: query.data?.pages.flatMap(({ results }) => results),
    error: query.error,
    retry: () => void query.refetch(),
    older: query.hasNextPage ? { busy: query.isFetchingNextPage, read: () => void query.fetchNextPage() } : null,
  }
}

interface ListFrameProps<Row> {
  title: string
  /** What is listed, in the plural: `back-tests`. */
  noun: string
  reading: Reading<Row>
  /** Those of the rows that the search is for. */
  shown: readonly Row[]
  filters?: ReactNode
  /** At the right end of the head. */
  action?: ReactNode
  /** What to do when there is no row at all. */
  empty: ReactNode
  /** What is not in danger when the list can't be read. */
  safe?: string
  /** The table of those shown; it is left out while there are none. */
  table: ReactNode
  /** Dialogs of the page: they show whatever the list holds. */
  children?: ReactNode
}

/** A page that is a list: its head with search and action, what it says while there is nothing, and older rows on demand. */
export function ListFrame<Row>({ title, noun, reading, shown, filters, action, empty, safe, table, children }: ListFrameProps<Row>) {
  const { rows, error, retry, older } = reading
  return (
    <div className="page">
      <header className="page-head">
        <h1>{title}</h1>
        {filters}
        <span className="grow" />
        {action}
      </header>
      {!rows && error === null && <Skeleton height={160} />}
      {!rows?.length && error !== null && <Failure what={`The ${noun} could not be loaded`} error={error} {...(safe === undefined ? {} : { safe })} retry={retry} />}
      {rows?.length === 0 && error === null && empty}
      {rows && rows.length > 0 && shown.length === 0 && (
        <p className="quiet" role="status">
          None of the {count(rows.length)} {older ? 'newest ' : ''}{noun} fits the search.
        </p>
      )}
      {shown.length > 0 && <div className="panel">{table}</div>}
      {older && (
        <div>
          <button type="button" className="button" disabled={older.busy} onClick={older.read}>
            Show older {noun}
          </button>
        </div>
      )}
      {children}
    </div>
  )
}
