import { useRef, useState } from 'react'

import type { Commit, Job, Split } from '../../../shared/api/types'
import { type Member, tarOf } from './tar'
import { upload } from './upload'

type Sending =
  | { state: 'idle' }
  | { state: 'sending'; sent: number; total: number }
  | { state: 'reading'; job: number }
  | { state: 'done'; commit: Commit }
  | { state: 'failed'; error: unknown }

interface Terms {
  split: Split | null
  message: string
}

/** Sends files as one archive, which becomes one commit; a large one is read by a job. */
export function useUpload(dataset: string) {
  const [sending, setSending] = useState<Sending>({ state: 'idle' })
  const attempt = useRef<{ form: FormData; key: string } | null>(null)
  const stopper = useRef(new AbortController())

  const again = async () => {
    if (!attempt.current) return
    const { form, key } = attempt.current
    stopper.current = new AbortController()
    setSending({ state: 'sending', sent: 0, total: 1 })
    try {
      const answer = (await upload(`/datasets/${encodeURIComponent(dataset)}`, form, {
        idempotencyKey: key,
        signal: stopper.current.signal,
        onProgress: (sent, total) => setSending({ state: 'sending', sent, total }),
      })) as Commit | { job: Job }
      setSending('job' in answer ? { state: 'reading', job: answer.job.id } : { state: 'done', commit: answer })
    } catch (error) {
      setSending({ state: 'failed', error })
    }
  }
  const send = (files: readonly Member[], { split, message }: Terms) => {
    const form = new FormData()
    form.append('archive', tarOf(files), 'folder.tar')
    if (split !== null) form.append('split', split)
    if (message !== '') form.append('message', message)
    attempt.current = { form, key: crypto.randomUUID() }
    return again()
  }
  return { ...sending, send, again, stop: () => stopper.current.abort() }
}
