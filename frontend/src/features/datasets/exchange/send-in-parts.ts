import { api, take } from '../../../shared/api/client'
import { untilAnswered } from './until-answered'
import { upload } from '../../../shared/api/upload'

export interface PartsProgress {
  /** `waiting`: no answer comes; it goes on by itself. */
  state: 'sending' | 'waiting'
  sent: number
  total: number
}

interface SendInPartsOptions {
  dataset: string
  data: Blob
  name: string
  /** The same for the same bytes. */
  fingerprint: string
  signal: AbortSignal
  onProgress: (progress: PartsProgress) => void
}

interface SentInParts {
  /** The upload's id. */
  id: string
  /** Makes a call that uses it, again until an answer comes. */
  use: <T>(call: () => Promise<T>) => Promise<T>
}

/** Sends a file part by part, those alone that the server lacks: a broken upload goes on from this page or another. */
export async function sendInParts({ dataset, data, name, fingerprint, signal, onProgress }: SendInPartsOptions): Promise<SentInParts> {
  const total = data.size
  let sent = 0
  const progress = (now: number) => {
    sent = now
    onProgress({ state: 'sending', sent, total })
  }
  const patience = { signal, onWait: () => onProgress({ state: 'waiting', sent, total }) }
  const begun = await untilAnswered(
    () =>
      take(
        api.POST('/datasets/{reference}/archives', {
          params: { path: { reference: dataset } },
          body: { name: name.slice(0, 200), size: total, fingerprint },
        }),
      ),
    patience,
  )
  const here = new Set(begun.received)
  progress([...here].reduce((sum, number) => sum + partOf(data, number, begun.part_bytes).size, 0))
  for (let number = 0; number < begun.parts; number += 1) {
    if (here.has(number)) continue
    const part = partOf(data, number, begun.part_bytes)
    const before = sent
    await untilAnswered(
      (idempotencyKey) =>
        upload(`/datasets/${encodeURIComponent(dataset)}/archives/${begun.id}/parts/${number}`, part, {
          method: 'PUT',
          idempotencyKey,
          signal,
          onProgress: (some) => progress(before + Math.min(some, part.size)),
        }),
      patience,
    )
    progress(before + part.size)
  }
  return { id: begun.id, use: (call) => untilAnswered(call, patience) }
}

/** Tells a file on somebody's disk from others, and from what it was before a change. */
export function fingerprintOf(file: File): string {
  return `${file.lastModified} ${file.name.slice(0, 150)}`
}

function partOf(data: Blob, number: number, size: number): Blob {
  return data.slice(number * size, (number + 1) * size, 'application/octet-stream')
}
