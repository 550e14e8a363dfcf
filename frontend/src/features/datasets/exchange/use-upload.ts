import { useRef, useState } from 'react'

import type { Commit, Job, Split } from '../../../shared/api/types'
import { sendArchive } from './send-archive'
import { type Member, tarOf } from './tar'
import { upload } from './upload'

export type Upload =
  | { state: 'idle' }
  | { state: 'sending' | 'waiting'; sent: number; total: number; resumable: boolean }
  | { state: 'reading'; job: number }
  | { state: 'done'; commit: Commit }
  | { state: 'failed'; error: unknown }

export interface UploadOptions {
  split: Split | null
  message: string
  /** Have images of other kinds turned into PNG or JPEG. */
  convert: boolean
  /** All of it or nothing. */
  strict: boolean
}

type Attempt = (signal: AbortSignal) => Promise<Commit | { job: Job }>

/** Sends files as one archive, or an archive part by part: one commit. A large one is read by a job. */
export function useUpload(dataset: string) {
  const [sending, setSending] = useState<Upload>({ state: 'idle' })
  const attempt = useRef<Attempt | null>(null)
  const stopper = useRef(new AbortController())

  const again = async () => {
    if (!attempt.current) return
    stopper.current = new AbortController()
    setSending({ state: 'sending', sent: 0, total: 1, resumable: false })
    try {
      const answer = await attempt.current(stopper.current.signal)
      setSending('job' in answer ? { state: 'reading', job: answer.job.id } : { state: 'done', commit: answer })
    } catch (error) {
      setSending({ state: 'failed', error })
    }
  }
  const send = (files: readonly Member[], { split, message, strict, convert }: UploadOptions) => {
    const form = new FormData()
    form.append('archive', tarOf(files), 'folder.tar')
    if (split !== null) form.append('split', split)
    if (strict) form.append('strict', 'true')
    if (message !== '') form.append('message', message)
    if (convert) form.append('convert', 'true')
    const idempotencyKey = crypto.randomUUID()
    const onProgress = (sent: number, total: number) => setSending({ state: 'sending', sent, total, resumable: false })
    attempt.current = async (signal) =>
      (await upload(`/datasets/${encodeURIComponent(dataset)}`, form, { idempotencyKey, signal, onProgress })) as Commit | { job: Job }
    return again()
  }
  const sendOne = (file: File, options: UploadOptions) => {
    const total = file.size
    let sent = 0
    const say = (state: 'sending' | 'waiting') => setSending({ state, sent, total, resumable: true })
    const onProgress = (some: number) => {
      sent = some
      say('sending')
    }
    attempt.current = async (signal) => ({ job: await sendArchive({ dataset, file, ...options, signal, onProgress, onWait: () => say('waiting') }) })
    return again()
  }
  return { ...sending, send, sendArchive: sendOne, again, stop: () => stopper.current.abort() }
}
