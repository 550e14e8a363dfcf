import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

import type { Rights } from '../shared/access/use-may'
import { api, take } from '../shared/api/client'
import { within } from '../shared/api/queries'
import { usePicked } from '../shared/project-choice/picked'
import { chooseTheme } from '../shared/ui/theme'
import type { Destination } from './matching'
import { pagesOf } from './pages'

/** As many of a kind as the palette shows at once. */
const most = 12
/** What a search may say besides a name: what is looked for, or a page of it. */
const kindWords: Record<string, readonly string[]> = {
  datasets: ['dataset', 'map', 'versions', 'mine'],
  models: ['model'],
  queues: ['queue', 'label'],
  pipelines: ['pipeline'],
  jobs: ['job'],
}

/** What the server looks for of a kind: the words without those that say the kind. */
export function searchedFor(kind: string, wanted: string): string {
  return wanted
    .split(/\s+/)
    .filter((word) => !kindWords[kind]?.includes(word.toLowerCase()))
    .join(' ')
    .trim()
}

/** The first rows of a list with these words, wherever in it they stand. */
function useFound<Row>(kind: string, wanted: string, { project, enabled, read }: { project: string | null; enabled: boolean; read: (query: { q?: string; limit: number; project?: string }) => Promise<{ results: Row[] }> }): Row[] {
  const q = searchedFor(kind, wanted)
  const query = { limit: most, ...(q === '' ? {} : { q }), ...within(project) }
  const found = useQuery({ queryKey: [kind, 'palette', query], queryFn: () => read(query), placeholderData: keepPreviousData, staleTime: 10_000, enabled })
  return found.data?.results ?? []
}

/** All that the palette may lead to: the pages, and what the server finds of these words. */
export function useDestinations(may: Rights, wanted: string): Destination[] {
  const navigate = useNavigate()
  const project = usePicked()
  const among = { project, enabled: may('read') }
  const datasets = useFound('datasets', wanted, { ...among, read: (query) => take(api.GET('/datasets', { params: { query } })) })
  const models = useFound('models', wanted, { ...among, read: (query) => take(api.GET('/models', { params: { query } })) })
  const queues = useFound('queues', wanted, { project, enabled: may('label'), read: (query) => take(api.GET('/labeling/queues', { params: { query: { ...query, order: 'urgent' } } })) })
  const pipelines = useFound('pipelines', wanted, { ...among, read: (query) => take(api.GET('/pipelines', { params: { query } })) })
  const jobs = useFound('jobs', wanted, { project, enabled: may('read') && searchedFor('jobs', wanted) !== '', read: (query) => take(api.GET('/jobs', { params: { query } })) })
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
