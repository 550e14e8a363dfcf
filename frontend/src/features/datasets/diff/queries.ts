import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import { cursorOf } from '../../../shared/api/pages'
import type { DiffKind } from '../../../shared/api/types'

/** Two versions, each by number or name; the second is of `dataset`, the first of it too or of its origin. */
export interface VersionPair {
  dataset: string
  from: string
  fromDataset: string
  to: string
}

/** The first of the two as people call it: with its dataset where that is another. */
export function fromWords({ dataset, from, fromDataset }: VersionPair): string {
  return fromDataset === dataset ? `v${from}` : `${fromDataset} v${from}`
}

function ends({ from, fromDataset, to }: VersionPair) {
  return { from, to, from_dataset: fromDataset }
}

export function diffQuery(pair: VersionPair) {
  return queryOptions({
    queryKey: ['datasets', pair.dataset, 'diff', ends(pair)],
    queryFn: () => take(api.GET('/datasets/{reference}/diff', { params: { path: { reference: pair.dataset }, query: ends(pair) } })),
  })
}

const pageSize = 60

/** `from` and `to` are numbers here, so that the pages hold still while a name moves. */
export function differencesQuery(pair: VersionPair, kind: DiffKind) {
  return infiniteQueryOptions({
    queryKey: ['datasets', pair.dataset, 'diff', ends(pair), kind],
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/datasets/{reference}/diff/{kind}', {
          params: {
            path: { reference: pair.dataset, kind },
            query: { ...ends(pair), limit: pageSize, ...(pageParam === null ? {} : { cursor: pageParam }) },
          },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => cursorOf(next),
    staleTime: Infinity,
  })
}
