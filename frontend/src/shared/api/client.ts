import createClient, { type Middleware } from 'openapi-fetch'

import { ApiProblem, Unreachable } from './errors'
import { newId } from './new-id'
import type { paths } from './schema'
import { announceSignedOut } from './signed-out'
import type { Problem } from './types'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

export function csrfToken(): string | null {
  return /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? null
}

/** Django's CSRF check, and one idempotency key for each POST so that a retried request is carried out once. */
const headers: Middleware = {
  onRequest({ request }) {
    if (safeMethods.has(request.method)) return
    const token = csrfToken()
    if (token !== null) request.headers.set('X-CSRFToken', token)
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key')) {
      request.headers.set('Idempotency-Key', newId())
    }
  },
}

const watchSession: Middleware = {
  onResponse({ response, schemaPath }) {
    if (response.status !== 401 || schemaPath === '/session') return undefined
    announceSignedOut()
    // What the server says is for programs, which send a token with each request.
    return Response.json({ detail: 'Your session has ended: sign in, then try again.' }, { status: 401 })
  },
}

const tooLong = 30_000

export const api = createClient<paths>({
  baseUrl: window.location.origin,
  credentials: 'same-origin',
  // A server that was killed may leave a request without any answer; nothing may wait for it for ever.
  fetch: (request) => fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(tooLong)]) }),
})
api.use(headers, watchSession)

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** The document of an answer, or a thrown ApiProblem (the server said no) or Unreachable (it said nothing). */
export async function take<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await reach(call)
  if (!response.ok) throw new ApiProblem(asProblem(error, response))
  return data as T
}

export async function reach<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    // fetch reports a refused connection as TypeError, a timeout as TimeoutError; a body that is not JSON is the server's
    // fault and arrives as SyntaxError.
    if (error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError')) throw new Unreachable()
    throw error
  }
}

export function asProblem(body: unknown, response: Pick<Response, 'status' | 'statusText'>): Problem {
  const said = typeof body === 'object' && body !== null ? (body as Partial<Problem>) : {}
  return {
    type: said.type ?? 'about:blank',
    title: said.title ?? response.statusText,
    status: response.status,
    detail: said.detail ?? `The server answered ${response.status}.`,
    code: said.code ?? 'unexplained',
    ...(said.errors ? { errors: said.errors } : {}),
    ...(said.rejected ? { rejected: said.rejected } : {}),
    ...(said.wait === undefined ? {} : { wait: said.wait }),
    ...(said.gates ? { gates: said.gates } : {}),
  }
}
