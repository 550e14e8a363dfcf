import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import type { LabelSchema } from '../../shared/schema/types'
import type { Draft } from './draft'

export function schemaQuery(dataset: string) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'schema'],
    queryFn: (): Promise<LabelSchema> => take(api.GET('/datasets/{reference}/schema', { params: { path: { reference: dataset } } })),
  })
}

export function schemaVersionQuery(dataset: string, version: number) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'schema', version],
    queryFn: (): Promise<LabelSchema> =>
      take(api.GET('/datasets/{reference}/schema/versions/{number}', { params: { path: { reference: dataset, number: version } } })),
    // A numbered version never changes.
    staleTime: Infinity,
  })
}

/** Makes the draft the schema's next version; 409 when `parent` is not the newest any more. */
export function saveSchema(dataset: string, draft: Draft, { parent, message }: { parent: number; message: string }): Promise<LabelSchema> {
  const classes = draft.classes.map(({ name, key, colour, dash, guideline, examples, archived }) => ({
    name, key, colour, dash, guideline, archived, examples: examples.map(({ key: sample, note }) => ({ key: sample, note })),
  }))
  return take(
    api.PUT('/datasets/{reference}/schema', {
      params: { path: { reference: dataset } },
      body: { classes, guideline: draft.guideline, message, parent },
    }),
  )
}
