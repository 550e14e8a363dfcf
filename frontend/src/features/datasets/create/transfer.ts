import type { Commit, Job, Rejection, StagedUpload } from '../../../shared/api/types'
import { tarOf } from '../exchange/tar'
import { untilAnswered } from '../exchange/until-answered'
import { upload } from '../../../shared/api/upload'
import { batchesOf, type Plan } from './plan'

/** How far a folder is on its way to the server. */
export interface Transfer {
  state: 'sending' | 'waiting' | 'committing' | 'reading' | 'done' | 'failed' | 'stopped'
  /** Images that the server has looked at, of all. */
  images: number
  bytes: number
  total: { images: number; bytes: number }
  rejected: Rejection[]
  error?: unknown
  commit?: Commit
  job?: number
}

interface TransferOptions {
  dataset: string
  plan: Plan
  message: string
  signal: AbortSignal
  onChange: (transfer: Transfer) => void
}

/**
 * Stores the images in small batches, then names them all in one commit, for which the server reads their folders. A batch that got no answer is sent again until it
 * gets one: what arrived is kept by its content, so nothing is doubled. Until the commit the dataset stays empty.
 */
export async function transfer({ dataset, plan, message, signal, onChange }: TransferOptions): Promise<void> {
  const bytes = plan.images.reduce((sum, { data }) => sum + data.size, 0)
  let now: Transfer = { state: 'sending', images: 0, bytes: 0, total: { images: plan.images.length, bytes }, rejected: [] }
  const say = (change: Partial<Transfer>) => onChange((now = { ...now, ...change }))
  const path = `/datasets/${encodeURIComponent(dataset)}`
  const send = (to: string, form: () => FormData, onSent: (sent: number) => void) =>
    untilAnswered((idempotencyKey) => upload(to, form(), { idempotencyKey, signal, onProgress: onSent }), {
      signal,
      onWait: () => say({ state: 'waiting' }),
    })
  const terms: Record<string, string> = plan.convert ? { convert: 'true' } : {}
  say({})
  try {
    const stored: StagedUpload['results'] = []
    for (const batch of batchesOf(plan.images)) {
      const before = now.bytes
      const size = batch.reduce((sum, { data }) => sum + data.size, 0)
      const onSent = (sent: number) => say({ state: 'sending', bytes: before + Math.min(sent, size) })
      const staged = (await send(`${path}/uploads`, () => form({ archive: tarOf(batch) }, terms), onSent)) as StagedUpload
      stored.push(...staged.results)
      say({ state: 'sending', images: now.images + batch.length, bytes: before + size, rejected: [...now.rejected, ...staged.rejected] })
    }
    say({ state: 'committing' })
    const lines = new Blob(stored.map(({ key, md5 }) => `${JSON.stringify({ key, md5 })}\n`), { type: 'application/x-ndjson' })
    const annotations = plan.annotations.length === 0 ? {} : { annotations: tarOf(plan.annotations) }
    const answer = (await send(path, () => form({ samples: lines, ...annotations }, message === '' ? terms : { ...terms, message }), () => undefined)) as Commit | { job: Job }
    say('job' in answer ? { state: 'reading', job: answer.job.id } : { state: 'done', commit: answer })
  } catch (error) {
    say(signal.aborted ? { state: 'stopped' } : { state: 'failed', error })
  }
}

const fileNames: Record<string, string> = { archive: 'batch.tar', samples: 'samples.jsonl', annotations: 'annotations.tar' }

function form(files: Record<string, Blob>, terms: Record<string, string>): FormData {
  const made = new FormData()
  for (const [field, data] of Object.entries(files)) made.append(field, data, fileNames[field])
  for (const [field, value] of Object.entries(terms)) made.append(field, value)
  return made
}
