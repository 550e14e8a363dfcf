import { api, take } from '../../../shared/api/client'
import type { Job, Split } from '../../../shared/api/types'
import { untilAnswered } from './until-answered'
import { upload } from './upload'

interface SendArchiveOptions {
  dataset: string
  file: File
  split: Split | null
  message: string
  convert: boolean
  signal: AbortSignal
  onProgress: (sent: number) => void
  /** No answer comes; it goes on by itself. */
  onWait: () => void
}

/**
 * Sends an archive part by part, those alone that the server lacks, and commits what is in it; the answer is the job that
 * reads it. A broken upload goes on when the same file is chosen again, from this page or another.
 */
export async function sendArchive({ dataset, file, split, message, convert, signal, onProgress, onWait }: SendArchiveOptions): Promise<Job> {
  const patience = { signal, onWait }
  const begun = await untilAnswered(
    () =>
      take(
        api.POST('/datasets/{reference}/archives', {
          params: { path: { reference: dataset } },
          body: { name: file.name.slice(0, 200), size: file.size, fingerprint: `${file.lastModified} ${file.name.slice(0, 150)}` },
        }),
      ),
    patience,
  )
  const here = new Set(begun.received)
  let sent = [...here].reduce((sum, number) => sum + partOf(file, number, begun.part_bytes).size, 0)
  onProgress(sent)
  for (let number = 0; number < begun.parts; number += 1) {
    if (here.has(number)) continue
    const part = partOf(file, number, begun.part_bytes)
    const before = sent
    await untilAnswered(
      (idempotencyKey) =>
        upload(`/datasets/${encodeURIComponent(dataset)}/archives/${begun.id}/parts/${number}`, part, {
          method: 'PUT',
          idempotencyKey,
          signal,
          onProgress: (some) => onProgress(before + Math.min(some, part.size)),
        }),
      patience,
    )
    sent += part.size
    onProgress(sent)
  }
  const told = { ...(split === null ? {} : { split }), ...(message === '' ? {} : { message }), ...(convert ? { convert } : {}) }
  const body = { archive: { upload: begun.id, name: file.name.slice(0, 100) }, ...told }
  const answer = await untilAnswered(() => take(api.POST('/datasets/{reference}', { params: { path: { reference: dataset } }, body: body as never })), patience)
  return (answer as unknown as { job: Job }).job
}

function partOf(file: File, number: number, size: number): Blob {
  return file.slice(number * size, (number + 1) * size, 'application/octet-stream')
}
