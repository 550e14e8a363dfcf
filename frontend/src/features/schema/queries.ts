import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import type { components } from '../../shared/api/schema'
import type { Draft } from './draft'

type NewClass = components['schemas']['NewLabelClassRequest']

export function schemaVersionQuery(dataset: string, version: number) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'schema', version],
    queryFn: () =>
      take(api.GET('/datasets/{reference}/schema/versions/{number}', { params: { path: { reference: dataset, number: version } } })),
    // A numbered version never changes.
    staleTime: Infinity,
  })
}

/** Makes the draft the schema's next version; 409 when `parent` is not the newest any more. */
export function saveSchema(dataset: string, draft: Draft, { parent, message }: { parent: number; message: string }) {
  const classes = draft.classes.map(({ name, key, colour, dash, guideline, examples, archived }) => ({
    // The keys that a class can have are the ones that were offered.
    name, key: key as NewClass['key'] & (string | null), colour, dash, guideline, archived, examples: examples.map(({ key: sample, note }) => ({ key: sample, note })),
  }))
  return take(
    api.PUT('/datasets/{reference}/schema', {
      params: { path: { reference: dataset } },
      body: { classes, guideline: draft.guideline, message, parent },
    }),
  )
}
