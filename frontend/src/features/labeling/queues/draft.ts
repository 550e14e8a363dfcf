import type { NewQueue, Queue, QueueChanges } from '../../../shared/api/types'
import { isoTime, localTime } from '../../../shared/queues/urgency'
import type { Faults } from '../../../shared/ui/form'

/** A queue's settings as they are typed: shares in per cent. */
export interface QueueSettingsDraft {
  kind: Queue['kind']
  mode: Queue['mode']
  blind: string
  gold: string
  review: string
  /** Empty: pages are accepted whatever the model's sureness. */
  threshold: string
  /** One reason a line. */
  reasons: string
  priority: Queue['priority']
  /** As a `datetime-local` field holds it; empty: no time. */
  due: string
  /** Names with commas; empty: everybody. */
  assignees: string
}

export interface QueueDraft extends QueueSettingsDraft {
  name: string
  dataset: string
  split: '' | 'pool' | 'train' | 'val' | 'test'
  /** Only samples without a label, or all. */
  unlabelled: boolean
  /** At most so many of them; empty: all. */
  limit: string
  answers: string
}

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
  limit: '',
  answers: '1',
  kind: 'classify',
  mode: 'label',
  blind: '5',
  gold: '0',
  review: '0',
  threshold: '',
  reasons: '',
  priority: 'normal',
  due: '',
  assignees: '',
}

export function draftOf(queue: Queue): QueueSettingsDraft {
  return {
    kind: queue.kind,
    mode: queue.mode,
    blind: percent(queue.blind_share),
    gold: percent(queue.gold_share),
    review: percent(queue.review_share),
    threshold: queue.accept_threshold === null ? '' : percent(queue.accept_threshold),
    reasons: queue.skip_reasons.join('\n'),
    priority: queue.priority,
    due: localTime(queue.due),
    assignees: queue.assignees.join(', '),
  }
}

/** What is wrong with what is typed, by the server's names of the fields. */
export function faultsOf(draft: QueueSettingsDraft & Partial<QueueDraft>): Faults {
  return {
    blind_share: shareFault(draft.blind, 50),
    gold_share: shareFault(draft.gold, 50),
    review_share: shareFault(draft.review, 100),
    accept_threshold: draft.threshold.trim() === '' ? null : shareFault(draft.threshold, 100),
    answers_per_task: draft.answers === undefined || /^([1-9]|1\d|20)$/.test(draft.answers.trim()) ? null : 'Type a number from 1 to 20.',
    limit: draft.limit === undefined || /^(|[1-9]\d{0,5}|1000000)$/.test(draft.limit.trim()) ? null : 'Type a number from 1 to 1,000,000, without commas, or leave it empty.',
  }
}

/** The settings that a queue gets as they are, in a sentence, for a form that folds them. */
export function settingsWords({ split, limit, answers, kind, blind, gold, review, priority, due, assignees, threshold }: QueueDraft): string {
  return [
    split === '' ? 'all splits' : `split ${split}`,
    limit === '' ? null : `at most ${limit}`,
    `${answers} ${answers === '1' ? 'answer' : 'answers'} per image`,
    kindWords[kind].toLowerCase(),
    `${priority} priority`,
    due === '' ? 'no due date' : 'with a due date',
    assignees === '' ? 'for everybody' : `for ${assignees}`,
    blind === '0' ? null : `${blind} % blind`,
    gold === '0' ? null : `${gold} % gold`,
    review === '0' ? null : `${review} % checked`,
    threshold === '' ? null : `auto-accept above ${threshold} %`,
  ]
    .filter((words) => words !== null)
    .join(', ')
}

export function changesOf(draft: QueueSettingsDraft): QueueChanges {
  const reasons = reasonsOf(draft)
  return {
    kind: draft.kind,
    mode: draft.mode,
    blind_share: share(draft.blind) ?? 0,
    gold_share: share(draft.gold) ?? 0,
    review_share: share(draft.review) ?? 0,
    accept_threshold: draft.threshold.trim() === '' ? null : share(draft.threshold),
    ...(reasons.length > 0 ? { skip_reasons: reasons } : {}),
    priority: draft.priority,
    due: isoTime(draft.due),
    assignees: draft.assignees.split(',').map((name) => name.trim()).filter((name) => name !== ''),
  }
}

export function newQueueOf(draft: QueueDraft): NewQueue {
  const filter = { ...(draft.unlabelled ? { labelled: false } : {}), ...(draft.split === '' ? {} : { split: draft.split }) }
  return {
    ...changesOf(draft),
    name: draft.name.trim(),
    dataset: draft.dataset,
    answers_per_task: Number(draft.answers),
    ...(draft.limit.trim() === '' ? {} : { limit: Number(draft.limit) }),
    ...(Object.keys(filter).length > 0 ? { filter } : {}),
  }
}

function reasonsOf({ reasons }: QueueSettingsDraft): string[] {
  return reasons.split('\n').map((line) => line.trim()).filter((line) => line !== '')
}

function share(typed: string): number | null {
  const value = Number(typed.trim().replace(',', '.').replace('%', ''))
  return typed.trim() === '' || Number.isNaN(value) ? null : Math.round(value * 100) / 10_000
}

function shareFault(typed: string, most: number): string | null {
  const value = share(typed)
  return value === null || value < 0 || value > most / 100 ? `Type a percentage from 0 to ${most}.` : null
}

function percent(value: number): string {
  return String(Math.round(value * 10_000) / 100)
}
