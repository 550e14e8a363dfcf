import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'

import { Empty, Failure, Skeleton } from '../ui/messages'
import { MoreRows } from './more-rows'
import type { Reading } from './pages'

interface ListFrameProps<Row> {
  title: string
  /** What is listed, in the plural: `back-tests`. */
  noun: string
  /** What the things are, in a sentence. */
  about?: string
  reading: Reading<Row>
  filters?: ReactNode
  /** At the right end of the head. */
  action?: ReactNode
  /** What to do when there is no row at all. */
  empty: ReactNode
  /** What is not in danger when the list can't be read. */
  safe?: string
  /** The table of the rows; it is left out while there are none. */
  table: ReactNode
  /** Dialogs of the page: they show whatever the list holds. */
  children?: ReactNode
}

/** A page that is a list: its head with search and action, what it says while there is nothing, and more rows as it is scrolled. */
export function ListFrame<Row>({ title, noun, about, reading, filters, action, empty, safe, table, children }: ListFrameProps<Row>) {
  const { rows, error, retry } = reading
  const isSearched = Object.keys(useSearch({ strict: false })).length > 0
  return (
    <div className="page">
      <header className="page-head">
        <h1>{title}</h1>
        {filters}
        <span className="grow" />
        {action}
      </header>
      {about !== undefined && <p className="quiet">{about}</p>}
      {!rows && error === null && <Skeleton height={160} />}
      {!rows?.length && error !== null && <Failure what={`The ${noun} could not be loaded`} error={error} {...(safe === undefined ? {} : { safe })} retry={retry} />}
      {rows?.length === 0 && error === null && (isSearched ? <NoneFit noun={noun} /> : empty)}
      {rows && rows.length > 0 && (
        <div className={`panel ${reading.isEarlier ? 'earlier' : ''}`} aria-busy={reading.isEarlier}>
          {table}
        </div>
      )}
      <MoreRows noun={noun} reading={reading} />
      {children}
    </div>
  )
}

function NoneFit({ noun }: { noun: string }) {
  const navigate = useNavigate()
  return (
    <Empty
      action={
        <button type="button" className="button" onClick={() => void navigate({ to: '.', search: {} as never })}>
          Show all {noun}
        </button>
      }
    >
      No {noun} match the search.
    </Empty>
  )
}
