import { asProblem, csrfToken } from './client'
import { ApiProblem, Unreachable } from './errors'
import { announceSignedOut } from './signed-out'

interface UploadOptions {
  /** One for all attempts at the same upload, so that a repeated one is carried out once. */
  idempotencyKey: string
  onProgress: (sent: number, total: number) => void
  signal: AbortSignal
  /** POST unless told. */
  method?: 'POST' | 'PUT'
}

/** Sends a body and tells how much of it is sent, which `fetch` can't. Throws as the API's client does. */
export function upload(path: string, body: FormData | Blob, { idempotencyKey, onProgress, signal, method = 'POST' }: UploadOptions): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(method, path)
    request.setRequestHeader('Accept', 'application/json')
    request.setRequestHeader('Idempotency-Key', idempotencyKey)
    request.setRequestHeader('X-CSRFToken', csrfToken() ?? '')
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total)
    request.onerror = () => reject(new Unreachable())
    request.onabort = () => reject(new DOMException('The upload was stopped.', 'AbortError'))
    request.onload = () => {
      const answer = parsed(request.responseText)
      if (request.status === 401) announceSignedOut()
      if (request.status >= 200 && request.status < 300) resolve(answer)
      else reject(new ApiProblem(asProblem(answer, { status: request.status, statusText: request.statusText })))
    }
    signal.addEventListener('abort', () => request.abort())
    request.send(body)
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
