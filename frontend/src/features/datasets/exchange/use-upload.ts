import { newId } from '../../../shared/api/new-id'
import type { Commit, Job, Split } from '../../../shared/api/types'
import { sendArchive } from './send-archive'
import { type Member, tarOf } from './tar'
import { upload } from '../../../shared/api/upload'
import { useSending } from './use-sending'

export interface UploadOptions {
  split: Split | null
  message: string
  /** Have images of other kinds turned into PNG or JPEG. */
  convert: boolean
  /** The encoding of an archive's names, if it is not UTF-8. */
  encoding?: string | null
  /** All of it or nothing. */
  strict: boolean
}

/** Sends files as one archive, or an archive part by part: one commit. A large one is read by a job. */
export function useUpload(dataset: string) {
  const sending = useSending<Commit>()
  const send = (files: readonly Member[], { split, message, strict, convert }: UploadOptions) => {
    const form = new FormData()
    form.append('archive', tarOf(files), 'folder.tar')
    if (split !== null) form.append('split', split)
    if (strict) form.append('strict', 'true')
    if (message !== '') form.append('message', message)
    if (convert) form.append('convert', 'true')
    const idempotencyKey = newId()
    return sending.start(async (signal, onProgress) => {
      const told = (sent: number, total: number) => onProgress({ state: 'sending', sent, total })
      return (await upload(`/datasets/${encodeURIComponent(dataset)}`, form, { idempotencyKey, signal, onProgress: told })) as Commit | { job: Job }
    }, false)
  }
  const sendOne = (file: File, options: UploadOptions) =>
    sending.start(async (signal, onProgress) => ({ job: await sendArchive({ dataset, file, ...options, signal, onProgress }) }), true)
  return { ...sending, send, sendArchive: sendOne }
}
