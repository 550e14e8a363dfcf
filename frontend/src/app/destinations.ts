import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

import type { Rights } from '../shared/access/use-may'
import { api, take } from '../shared/api/client'
import { datasetsIn, keyWithin, modelsIn, pipelinesIn, queuesIn, within } from '../shared/api/queries'
import type { Job } from '../shared/api/types'
import { usePicked } from '../shared/project-choice/picked'
import { chooseTheme } from '../shared/ui/theme'
import type { Destination } from './matching'
import { pagesOf } from './pages'

const fewestLetters = 2

function jobWords(wanted: string): string {
  return wanted.trim().replace(/^job\s+/i, '')
}

/** Jobs are many: the server looks for them once somebody typed a little. */
export function isEnough(wanted: string): boolean {
  return jobWords(wanted).length >= fewestLetters
}

export function foundJobsQuery(wanted: string, project: string | null) {
  const q = jobWords(wanted)
  return queryOptions({
    queryKey: keyWithin(['jobs', 'palette', q], project),
    queryFn: async () => (await take(api.GET('/jobs', { params: { query: { q, limit: 6, ...within(project) } } }))).results,
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  })
}

/** All that the palette may lead to. */
export function useDestinations(may: Rights, jobs: readonly Job[]): Destination[] {
  const navigate = useNavigate()
  const project = usePicked()
  const enabled = may('read')
  const datasets = useQuery({ ...datasetsIn(project), enabled }).data ?? []
  const models = useQuery({ ...modelsIn(project), enabled }).data ?? []
  const queues = useQuery({ ...queuesIn(project), enabled: may('label') }).data ?? []
  const pipelines = useQuery({ ...pipelinesIn(project), enabled }).data ?? []
  return [
    ...pagesOf(may).map(({ name, to }): Destination => ({ name, kind: 'page', go: () => void navigate({ to }) })),
    ...(may('build') ? actions : []).map(([name, to]): Destination => ({ name, kind: 'action', go: () => void navigate({ to }) })),
    ...queues.flatMap(({ name, id, state }): Destination[] => [
      { name, kind: state === 'open' ? 'queue, label it' : 'queue', go: () => void navigate({ to: '/label/$queue', params: { queue: String(id) } }) },
    ]),
    ...(may('read') ? readable : []).map(([name, to]): Destination => ({ name, kind: 'page', go: () => void navigate({ to }) })),
    { name: 'Projects', kind: 'page', go: () => void navigate({ to: '/settings/projects' }) },
    ...(may('own') ? [{ name: 'Audit', kind: 'page', go: () => void navigate({ to: '/settings/audit' }) }] : []),
    ...datasets.flatMap(({ name, project: home }): Destination[] => [
      { name, kind: 'dataset', go: () => void navigate({ to: '/datasets/$id', params: { id: name } }) },
      { name: `${name}: map`, kind: 'dataset', go: () => void navigate({ to: '/datasets/$id/map', params: { id: name } }) },
      { name: `${name}: versions`, kind: 'dataset', go: () => void navigate({ to: '/datasets/$id/versions', params: { id: name } }) },
      ...(may('build', home) ? [{ name: `Mine ${name}`, kind: 'action', go: () => void navigate({ to: '/mining/new', search: { dataset: name } }) }] : []),
    ]),
    ...models.map(({ name }): Destination => ({ name, kind: 'model', go: () => void navigate({ to: '/models/$model', params: { model: name } }) })),
    ...pipelines.map(({ name, id }): Destination => ({ name, kind: 'pipeline', go: () => void navigate({ to: '/pipelines/$id', params: { id: String(id) } }) })),
    ...jobs.map(({ id, title }): Destination => ({ name: title, kind: `job ${id}`, go: () => void navigate({ to: '/jobs/$id', params: { id: String(id) } }) })),
    { name: 'Light theme', kind: 'setting', go: () => chooseTheme('light') },
    { name: 'Dark theme', kind: 'setting', go: () => chooseTheme('dark') },
    { name: "The system's theme", kind: 'setting', go: () => chooseTheme('system') },
  ]
}

const readable = [
  ['Runs', '/runs'],
  ['Encoders', '/encoders'],
] as const

const actions = [
  ['Create a dataset', '/datasets/new'],
  ['Mine samples', '/mining/new'],
  ['New pipeline', '/pipelines/new'],
  ['New back-test', '/backtests/new'],
  ['New sweep', '/sweeps/new'],
] as const
