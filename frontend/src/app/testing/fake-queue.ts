import { HttpResponse } from 'msw'

import type { LabelTask, Queue } from '../../shared/api/types'
import { aSchema } from './documents'
import { answer, list, receive } from './server'

const classes = ['zero', 'one', 'two', 'three']

/** A labelling queue of the platform in a few lines: it lends its tasks, and counts what is said of them. */
export class FakeQueue {
  /** By task: the class that was said, null for a skip. */
  readonly said = new Map<number, string | null>()
  state: Queue['state'] = 'open'
  private readonly tasks: LabelTask[]

  /** Its tasks are numbered from `first` on: what a test leaves in the outbox is of its own tasks only. */
  constructor(readonly name: string, count: number, first = 1, private readonly more: { kind?: Queue['kind']; task?: string; tasks?: Partial<LabelTask> } = {}) {
    this.tasks = Array.from({ length: count }, (_, place) => ({ ...task(first + place), ...more.tasks }))
    receive('get', '/labeling/queues/:queue', () => HttpResponse.json(this.document()))
    list('/labeling/queues/:queue/tasks', [])
    receive('post', '/labeling/queues/:queue/next', () => {
      const open = this.tasks.filter(({ id }) => !this.said.has(id))
      return open.length === 0 ? new HttpResponse(null, { status: 204 }) : HttpResponse.json({ tasks: open, clusters: [{ name: '', todo: open.length }] })
    })
    receive('post', '/labeling/tasks/:task/answer', ({ params, body }) => this.hear(Number(params['task']), (body as { value: { class: string } }).value.class))
    receive('post', '/labeling/tasks/:task/skip', ({ params }) => this.hear(Number(params['task']), null))
    receive('post', '/labeling/tasks/:task/undo', ({ params }) => {
      this.said.delete(Number(params['task']))
      return HttpResponse.json({ ...this.tasks.find(({ id }) => id === Number(params['task'])), counts: this.counts() })
    })
    receive('post', '/labeling/queues/:queue/requeue', () => {
      for (const [id, name] of this.said) if (name === null) this.said.delete(id)
      for (const each of this.tasks) each.lease_token += 1
      return HttpResponse.json(this.document())
    })
    receive('post', '/labeling/queues/:queue/commit', () => {
      this.state = 'committed'
      return HttpResponse.json({ version: null, labelled: 0, unchanged: 0, rejected: [] })
    })
    answer('put', '/session/preferences', {})
  }

  private hear(id: number, name: string | null): Response {
    this.said.set(id, name)
    return HttpResponse.json({ task: id, state: name === null ? 'skipped' : 'done', answer: {}, queue: { counts: this.counts(), state: 'open' } })
  }

  private counts(): Queue['counts'] {
    const said = [...this.said.values()]
    const skipped = said.filter((name) => name === null).length
    return { total: this.tasks.length, todo: this.tasks.length - said.length, leased: 0, done: said.length - skipped, skipped }
  }

  private document(): Queue {
    return {
      id: 1, name: this.name, dataset: 'digits', dataset_id: 1, task: this.more.task ?? 'classification', classes, state: this.state, counts: this.counts(),
      rate_per_hour: 0, answers_per_task: 1, kind: this.more.kind ?? 'classify', mode: 'label', priority: 'normal', due: null, assignees: [], for_me: true, blind_share: 0, gold_share: 0, review_share: 0, accept_threshold: null, skip_reasons: [],
      mine: { today: 0, total: 0, rate_per_hour: 0, waiting: 0, held: 0, reviews: 0 }, flagged: 0, reviews_open: 0, labels: this.counts().done,
      auto_commit: null, schema: aSchema(classes), archived: null, created: '2026-11-01T12:00:00Z', committed_version: null,
    }
  }
}

function task(id: number): LabelTask {
  return {
    id, lease_until: new Date(Date.now() + 600_000).toISOString(), lease_token: 1, url: `/blobs/${id}`, suggestion: null, why: null, cluster: null, position: id,
    flag: null, answered: null, comments: 0, comments_resolved: 0, comments_hidden: 0, sample: { id, key: `${id}.png`, width: 32, height: 32, thumb: `/thumbs/${id}` } as LabelTask['sample'],
  }
}
