import { api, take } from '../../../shared/api/client'
import type { Job, Split } from '../../../shared/api/types'
import { fingerprintOf, type PartsProgress, sendInParts } from './send-in-parts'

interface SendArchiveOptions {
  dataset: string
  file: File
  split: Split | null
  message: string
  convert: boolean
  encoding?: string | null
  strict: boolean
  signal: AbortSignal
  onProgress: (progress: PartsProgress) => void
}

/** Sends an archive part by part and commits what is in it; the answer is the job that reads it. */
export async function sendArchive({ dataset, file, split, message, strict, convert, encoding = null, signal, onProgress }: SendArchiveOptions): Promise<Job> {
  const upload = await sendInParts({ dataset, data: file, name: file.name, fingerprint: fingerprintOf(file), signal, onProgress })
  const body = {
    archive: { upload: upload.id, name: file.name.slice(0, 100) },
    strict,
    ...(split === null ? {} : { split }),
    ...(message === '' ? {} : { message }),
    ...(convert ? { convert } : {}),
    ...(encoding === null ? {} : { names_encoding: encoding }),
  }
  const answer = await upload.use(() => take(api.POST('/datasets/{reference}', { params: { path: { reference: dataset } }, body: body as never })))
  return (answer as unknown as { job: Job }).job
}
