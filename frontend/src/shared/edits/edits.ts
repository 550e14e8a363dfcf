import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../api/client'
import { explainRecorded, Unreachable } from '../api/errors'
import type { Commit, Job, JobDetail, LabelValue, SamplesFilter, Split } from '../api/types'

/** The samples that an action is for. */
export interface Target {
  filter: SamplesFilter
  count: number
  /** Another one for other samples: a filter of thousands of ids is no key of a cache. */
  stamp: string
}

/** What becomes of samples: a label or none, classes more or less in the labels that are there, a split, or that they are removed. */
export interface Edit {
  label?: LabelValue
  clear?: true
  add_classes?: string[]
  remove_classes?: string[]
  split?: Split
  remove?: true
}

/** What an edit would do to the head. */
export function previewQuery(dataset: string, head: number | null, { filter, stamp }: Target, edit: Edit) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'edit-preview', head, stamp, edit],
    queryFn: ({ signal }) =>
      take(api.POST('/datasets/{reference}/edits/preview', { params: { path: { reference: dataset } }, body: { filter, clear: false, remove: false, ...edit }, signal })),
    staleTime: 10_000,
  })
}

/** How a commit is told of: what its version says, and the head that it was made for. */
interface Terms {
  message: string
  parent: number | null
}

export type Answer = Commit | { job: Job }

export function commitEdit(dataset: string, { filter }: Target, edit: Edit, { message, parent }: Terms): Promise<Answer> {
  const body = { filter, clear: false, remove: false, strict: false, message, parent, ...edit }
  return take(api.POST('/datasets/{reference}/edits', { params: { path: { reference: dataset } }, body }))
}

export function commitTags(dataset: string, { filter }: Target, tags: { add: string[]; remove: string[] }, { message, parent }: Terms): Promise<Answer> {
  return take(api.POST('/datasets/{reference}/sample-tags', { params: { path: { reference: dataset } }, body: { filter, message, parent, ...tags } }))
}

export function commitRevert(dataset: string, version: number, message = ''): Promise<Answer> {
  return take(api.POST('/datasets/{reference}/reverts', { params: { path: { reference: dataset } }, body: { version: String(version), message } }))
}

/** The job, or null while the server does not answer: the job goes on all the same. */
async function jobNow(id: number): Promise<JobDetail | null> {
  try {
    return await take(api.GET('/jobs/{id}', { params: { path: { id } } }))
  } catch (error) {
    if (error instanceof Unreachable) return null
    throw error
  }
}

const betweenLooks = 1_000

/** The commit, once the job of many samples has made it. Throws why it failed. */
export async function whenCommitted(answer: Answer, onJob: (id: number) => void = () => undefined): Promise<Commit> {
  if (!('job' in answer)) return answer
  const { id } = answer.job
  onJob(id)
  for (;;) {
    const job = await jobNow(id)
    if (job?.state === 'succeeded') return job.result as unknown as Commit
    if (job?.state === 'failed' || job?.state === 'cancelled') throw new Error(explainRecorded(job.error) ?? 'The job was cancelled: nothing was changed.')
    await new Promise((resolve) => setTimeout(resolve, betweenLooks))
  }
}
