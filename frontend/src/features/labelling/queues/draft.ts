import type { NewQueue, Queue, QueueChanges } from '../../../shared/api/types'

/** A queue's terms as they are typed: shares in per cent. */
export interface TermsDraft {
  kind: Queue['kind']
  blind: string
  gold: string
  review: string
  /** Empty: pages are accepted whatever the model's sureness. */
  threshold: string
  /** One reason a line. */
  reasons: string
}

export interface QueueDraft extends TermsDraft {
  name: string
  dataset: string
  split: '' | 'pool' | 'train' | 'val' | 'test'
  /** Only samples without a label, or all. */
  unlabelled: boolean
  answers: string
}

export type Fault = Partial<Record<keyof QueueDraft, string>>

export const kindsOf: Record<string, Queue['kind'][]> = { classification: ['classify', 'grid'], detection: ['boxes', 'polygons'] }

export const kindWords: Record<Queue['kind'], string> = {
  classify: 'One image at a time',
  grid: 'Grid of a suggested class',
  boxes: 'Boxes',
  polygons: 'Polygons',
}

export const emptyDraft: QueueDraft = {
  name: '',
  dataset: '',
  split: '',
  unlabelled: true,
  answers: '1',
  kind: 'classify',
  blind: '5',
  gold: '0',
  review: '0',
  threshold: '',
  reasons: '',
}

export function draftOf(queue: Queue): TermsDraft {
  return {
    kind: queue.kind,
    blind: percent(queue.blind_share),
    gold: percent(queue.gold_share),
    review: percent(queue.review_share),
    threshold: queue.accept_threshold === null ? '' : percent(queue.accept_threshold),
    reasons: queue.skip_reasons.join('\n'),
  }
}

/** What is wrong with what was typed, by field; an empty object when nothing is. */
export function faultsOf(draft: TermsDraft & Partial<QueueDraft>): Fault {
  const faults: Fault = {}
  const within = (field: 'blind' | 'gold' | 'review' | 'threshold', most: number) => {
    const value = share(draft[field])
    if (value === null || value < 0 || value > most / 100) faults[field] = `Type a percentage from 0 to ${most}.`
  }
  within('blind', 50)
  within('gold', 50)
  within('review', 100)
  if (draft.threshold.trim() !== '') within('threshold', 100)
  if (draft.name?.trim() === '') faults.name = 'Give the queue a name.'
  if (draft.dataset === '') faults.dataset = 'Choose the dataset.'
  if (draft.answers !== undefined && !/^([1-9]|1\d|20)$/.test(draft.answers.trim())) faults.answers = 'Type a number from 1 to 20.'
  return faults
}

export function changesOf(draft: TermsDraft): QueueChanges {
  const reasons = reasonsOf(draft)
  return {
    kind: draft.kind,
    blind_share: share(draft.blind) ?? 0,
    gold_share: share(draft.gold) ?? 0,
    review_share: share(draft.review) ?? 0,
    accept_threshold: draft.threshold.trim() === '' ? null : share(draft.threshold),
    ...(reasons.length > 0 ? { skip_reasons: reasons } : {}),
  }
}

export function newQueueOf(draft: QueueDraft): NewQueue {
  const filter = { ...(draft.unlabelled ? { labelled: false } : {}), ...(draft.split === '' ? {} : { split: draft.split }) }
  return {
    ...changesOf(draft),
    name: draft.name.trim(),
    dataset: draft.dataset,
    answers_per_task: Number(draft.answers),
    ...(Object.keys(filter).length > 0 ? { filter } : {}),
  }
}

function reasonsOf({ reasons }: TermsDraft): string[] {
  return reasons.split('\n').map((line) => line.trim()).filter((line) => line !== '')
}

function share(typed: string): number | null {
  const value = Number(typed.trim().replace(',', '.').replace('%', ''))
  return typed.trim() === '' || Number.isNaN(value) ? null : Math.round(value * 100) / 10_000
}

function percent(value: number): string {
  return String(Math.round(value * 10_000) / 100)
}
