import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

import { reviews } from '../shared/access/roles'
import { api, take } from '../shared/api/client'
import { datasetsQuery, modelsQuery, pipelinesQuery, queuesQuery } from '../shared/api/queries'
import type { Job } from '../shared/api/types'
import { chooseTheme } from '../shared/ui/theme'
import type { Destination } from './matching'
import { pagesOf } from './pages'

const fewestLetters = 2

/** Jobs are many: the server looks for them once somebody typed a little. */
export function foundJobsQuery(wanted: string, role: string | undefined) {
  const q = wanted.trim().replace(/^job\s+/i, '')
  return queryOptions({
    queryKey: ['jobs', 'palette', q],
    queryFn: async () => (await take(api.GET('/jobs', { params: { query: { q, limit: 6 } } }))).results,
    enabled: reviews(role) && q.length >= fewestLetters,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
}

/** All that the palette may lead to. */
export function useDestinations(role: string | undefined, jobs: readonly Job[]): Destination[] {
  const navigate = useNavigate()
  const canReview = reviews(role)
  const datasets = useQuery({ ...datasetsQuery, enabled: canReview }).data ?? []
  const models = useQuery({ ...modelsQuery, enabled: canReview }).data ?? []
  const queues = useQuery(queuesQuery).data ?? []
  const pipelines = useQuery({ ...pipelinesQuery, enabled: canReview }).data ?? []
  return [
    ...pagesOf(role).map(({ name, to }): Destination => ({ name, kind: 'page', go: () => void navigate({ to }) })),
    ...(canReview ? actions : []).map(([name, to]): Destination => ({ name, kind: 'action', go: () => void navigate({ to }) })),
    ...queues.flatMap(({ name, id, state }): Destination[] => [
      { name, kind: state === 'open' ? 'queue, label it' : 'queue', go: () => void navigate({ to: '/label/$queue', params: { queue: String(id) } }) },
    ]),
    ...datasets.flatMap(({ name }): Destination[] => [
      { name, kind: 'dataset', go: () => void navigate({ to: '/datasets/$id', params: { id: name } }) },
      { name: `${name}: map`, kind: 'dataset', go: () => void navigate({ to: '/datasets/$id/map', params: { id: name } }) },
      { name: `${name}: versions`, kind: 'dataset', go: () => void navigate({ to: '/datasets/$id/versions', params: { id: name } }) },
      { name: `Mine ${name}`, kind: 'action', go: () => void navigate({ to: '/mining/new', search: { dataset: name } }) },
    ]),
    ...models.map(({ name }): Destination => ({ name, kind: 'model', go: () => void navigate({ to: '/models/$model', params: { model: name } }) })),
    ...pipelines.map(({ name, id }): Destination => ({ name, kind: 'pipeline', go: () => void navigate({ to: '/pipelines/$id', params: { id: String(id) } }) })),
    ...jobs.map(({ id, title }): Destination => ({ name: title, kind: `job ${id}`, go: () => void navigate({ to: '/jobs/$id', params: { id: String(id) } }) })),
    { name: 'Light theme', kind: 'setting', go: () => chooseTheme('light') },
    { name: 'Dark theme', kind: 'setting', go: () => chooseTheme('dark') },
    { name: "The system's theme", kind: 'setting', go: () => chooseTheme('system') },
  ]
}

const actions = [
  ['Create a dataset', '/datasets/new'],
  ['Mine samples', '/mining/new'],
  ['New pipeline', '/pipelines/new'],
  ['New back-test', '/backtests/new'],
] as const
