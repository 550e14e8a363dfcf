import { infiniteQueryOptions, type QueryKey, useInfiniteQuery } from '@tanstack/react-query'

import { cursorOf } from '../api/pages'
import { type Pace, poll } from '../live/interval'

/** A page of a list as the server answers it. */
export interface Page<Row> {
  results: Row[]
  /** The address of the next page; null on the last. */
  next: string | null
}

export interface ListOptions<Row, Answer extends Page<Row>> {
  /** Names all that decides which rows there are, the search too. */
  queryKey: QueryKey
  /** Reads the page at a cursor; the first without one. */
  read: (at: { cursor?: string }) => Promise<Answer & Page<Row>>
  /** How often the rows that were read change; they are read once without it. */
  pace?: (rows: readonly Row[] | undefined) => Pace
  /** Rows never change once they are there. */
  fixed?: boolean
}

/** A key without the words that are searched for. */
function withoutWords(key: QueryKey): string {
  return JSON.stringify(key, (name, value: unknown) => (name === 'q' ? undefined : value))
}

/** A list of the server that is read page by page. While other words are searched for, the rows found before stay in view. */
export function listOptions<Row, Answer extends Page<Row> = Page<Row>>({ queryKey, read, pace, fixed = false }: ListOptions<Row, Answer>) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam === null ? {} : { cursor: pageParam }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
    placeholderData: (before, query) => (query && withoutWords(query.queryKey) === withoutWords(queryKey) ? before : undefined),
    ...(fixed ? { staleTime: Infinity } : {}),
    // All pages that were read are read again: more of them, less often.
    ...(pace ? { refetchInterval: poll((data: { pages: Page<Row>[] } | undefined) => pace(data && rowsOf(data)), (data) => data?.pages.length ?? 1) } : {}),
  })
}

export function rowsOf<Row>({ pages }: { pages: readonly Page<Row>[] }): Row[] {
  return pages.flatMap(({ results }) => results)
}

/** What a list has read so far. */
export interface Reading<Row> {
  /** Undefined before the first answer. */
  rows: readonly Row[] | undefined
  /** The rows are still those of the search before. */
  isEarlier: boolean
  error: unknown
  retry: () => void
  /** Reads more rows, where there are more. */
  more: { busy: boolean; failed: boolean; read: () => void } | null
}

/** As much of a query of `listOptions` as is read here. */
export interface PagedQuery<Row> {
  data: { pages: Page<Row>[] } | undefined
  error: unknown
  isPlaceholderData: boolean
  refetch: () => Promise<unknown>
  hasNextPage: boolean
  isFetchingNextPage: boolean
  isFetchNextPageError: boolean
  fetchNextPage: () => Promise<unknown>
}

export function readingOf<Row>(query: PagedQuery<Row>): Reading<Row> {
  return {
    rows: query.data && rowsOf(query.data),
    isEarlier: query.isPlaceholderData,
    error: query.error,
    retry: () => void query.refetch(),
    more: query.hasNextPage && !query.isPlaceholderData ? { busy: query.isFetchingNextPage, failed: query.isFetchNextPageError, read: () => void query.fetchNextPage() } : null,
  }
}

export type ListQuery<Row> = ReturnType<typeof listOptions<Row>>

/** Reads a list page by page. */
export function useList<Row>(options: ListQuery<Row>): Reading<Row> {
  return readingOf<Row>(useInfiniteQuery(options))
}
