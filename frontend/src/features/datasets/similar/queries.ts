import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import { cursorOf } from '../../../shared/api/pages'
import type { SimilarSample } from '../../../shared/api/types'
import { listOptions } from '../../../shared/lists/pages'
import type { Choice } from '../../../shared/picking/choices'
import type { Selection } from '../queries'
import { versionChoices } from '../version-choices'
import { windowSize } from '../windows'
import type { SimilarTo } from './similar-to'

/** The server gives no more at once. */
const pageSize = 500

function pageOf({ dataset, version, filter }: Selection, similar: SimilarTo, offset: number, limit: number) {
  const { model, encoder } = similar
  const wanted = similar.words === null ? { ...similar.part, to: similar.key } : { text: similar.words }
  const query = { ...filter, ...wanted, offset, limit, ...embeddedBy(model, encoder) }
  return take(api.GET('/datasets/{reference}/versions/{number}/similar', { params: { path: { reference: dataset, number: String(version) }, query } }))
}

function embeddedBy(model: string | null, encoder: string | null) {
  return { ...(model === null ? {} : { model }), ...(encoder === null ? {} : { encoder }) }
}

/** Up to `limit` samples by similarity, from a place on. */
export async function similarSamples(selection: Selection, similar: SimilarTo, offset: number, limit: number): Promise<SimilarSample[]> {
  const found: SimilarSample[] = []
  while (found.length < limit) {
    const { results } = await pageOf(selection, similar, offset + found.length, Math.min(pageSize, limit - found.length))
    if (results.length === 0) break
    found.push(...results)
  }
  return found
}

/** A window of the samples by similarity; embeddings may come at any time, so nothing stays good for long. */
export function similarQuery(selection: Selection, similar: SimilarTo, offset: number) {
  const { dataset, version, filter } = selection
  return queryOptions({
    queryKey: ['datasets', dataset, 'similar', version, filter, similar, offset],
    queryFn: () => pageOf(selection, similar, offset, windowSize),
    staleTime: 10_000,
    gcTime: 60_000,
  })
}

/** How many samples of a version have embeddings; asked again while a job computes more. */
export function embeddingsQuery(dataset: string, version: number | 'head', { model, encoder }: Pick<SimilarTo, 'model' | 'encoder'>) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'embeddings', version, model, encoder],
    queryFn: () =>
      take(
        api.GET('/datasets/{reference}/versions/{number}/embeddings', {
          params: { path: { reference: dataset, number: String(version) }, query: embeddedBy(model, encoder) },
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.job ? 2_000 : false),
  })
}

/** What samples may be compared by, as choices: the encoders of a project, then its models' versions. */
export function comparedByList(project: string, q: string) {
  const query = { project, ...(q === '' ? {} : { q }) }
  return listOptions<Choice>({
    queryKey: ['models', 'compared-by', query],
    read: async ({ cursor }) => {
      const [kind = '', at = ''] = cursor?.split(' ') ?? ['encoders']
      const page = { params: { query: { ...query, ...(at === '' ? {} : { cursor: at }) } } }
      const following = (more: string | null, then: string | null) => {
        const next = more === null ? then : `${kind} ${cursorOf(more)}`
        return next === null ? null : `?cursor=${encodeURIComponent(next)}`
      }
      if (kind === 'encoders') {
        const { results, next } = await take(api.GET('/encoders', page))
        return { results: results.map(({ name }) => ({ value: name })), next: following(next, 'models') }
      }
      const { results, next } = await take(api.GET('/models', page))
      return { results: results.flatMap(versionChoices), next: following(next, null) }
    },
  })
}
