import { http, HttpResponse, type JsonBodyType } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll } from 'vitest'

import type { ProjectRole, Role } from '../../shared/access/types'
import type { Problem } from '../../shared/api/types'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Lists that pages read before they show anything: empty, unless a test says more. */
const emptyLists = ['/architectures', '/backtests', '/datasets', '/encoders', '/jobs', '/labeling/comments', '/labeling/queues', '/mining/jobs', '/models', '/people', '/pipelines', '/projects', '/strategies', '/sweeps']

const server = setupServer(
  ...emptyLists.map((address) => http.get(address, () => HttpResponse.json({ results: [], next: null, previous: null }))),
  ...['maps', 'slices', 'versions'].map((part) => http.get(`/datasets/:reference/${part}`, () => HttpResponse.json({ results: [], next: null }))),
  ...['/datasets/:name', '/datasets/:reference/slices/:name', '/models/:name'].map((address) => http.get(address, ({ params }) => refusal({ status: 404, detail: `There is no ${String(params.name)}.` }))),
  http.post('/runs/forecast', () => refusal({ status: 404, detail: 'There is no such dataset.' })),
  http.get('/session/options', () => HttpResponse.json({ provider: null })),
  http.get('/session', () => HttpResponse.json(sessionOf('owner'))),
  http.get('/session/notifications', () => HttpResponse.json({ results: [], unseen: 0, left_out: 0, mail: true, mail_to: null })),
)

/** In place of a platform, for the tests of a file: an owner is signed in, and there is nothing. Other calls fail. */
export function serveNothing(): void {
  beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
  afterEach(() => server.resetHandlers())
  afterAll(() => server.close())
}

/** An owner of the platform, or somebody with a role in its only project. */
export function sessionOf(role: Role, preferences: Record<string, unknown> = {}) {
  const projects: ProjectRole[] = role === 'owner' ? [] : [{ project: 'default', role }]
  return { user: { id: 1, username: role, role, projects }, preferences }
}

/** Somebody who is in these projects, the strongest role first. */
export function sessionIn(projects: readonly ProjectRole[], preferences: Record<string, unknown> = {}) {
  return { user: { id: 1, username: 'mia', role: projects[0]?.role ?? null, projects: [...projects] }, preferences }
}

/** A call is answered with this document. */
export function answer(method: Method, address: string, document: JsonBodyType): void {
  receive(method, address, () => HttpResponse.json(document))
}

/** A list has these rows, which the server searches and knows by their names and ids. */
export function list(address: string, rows: readonly JsonBodyType[]): void {
  server.use(
    http.get(address, ({ request }) => {
      const words = (new URL(request.url).searchParams.get('q') ?? '').toLowerCase().split(/\s+/)
      return HttpResponse.json({ results: rows.filter((row) => words.every((word) => JSON.stringify(row).toLowerCase().includes(word))), next: null, previous: null })
    }),
    http.get(`${address}/:row`, ({ params }) => {
      const found = rows.find((row) => [row?.['name' as never], String(row?.['id' as never])].includes(params.row as never))
      return found === undefined ? undefined : HttpResponse.json(found)
    }),
  )
}

/** What an answer is when the server says no. */
export function refusal(said: Pick<Problem, 'status' | 'detail' | 'errors' | 'wait'> & { code?: string }): Response {
  return HttpResponse.json({ type: 'about:blank', title: 'Refused', code: 'invalid', ...said }, { status: said.status })
}

/** What was sent: the last part of the path that varies, and the document. */
interface Call {
  params: Record<string, unknown>
  url: URL
  body: unknown
}

/** Each call is answered by `say`; returns the documents that were sent so far, as text what is none. */
export function receive(method: Method, address: string, say: (call: Call) => Response): unknown[] {
  const sent: unknown[] = []
  server.use(
    http[method](address, async ({ request, params }) => {
      const text = await request.text()
      const isDocument = request.headers.get('Content-Type')?.includes('json') === true
      const body: unknown = isDocument ? JSON.parse(text) : text === '' ? null : text
      sent.push(body)
      return say({ params, url: new URL(request.url), body })
    }),
  )
  return sent
}
