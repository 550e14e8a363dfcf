import { HttpResponse } from 'msw'

import type { LabelTask, Queue, ShapesValue, Verification } from '../../shared/api/types'
import { aSchema } from './documents'
import { answer, list, receive } from './server'

interface Said {
  value: ShapesValue
  verification?: Verification
}

const suggestion = {
  model: 'roads@1',
  boxes: [
    { class: 'car', box: [1, 1, 20, 20], score: 0.9 },
    { class: 'bus', box: [30, 30, 60, 60], score: 0.4 },
  ],
}

/** A queue of two images that asks for boxes of cars and buses, under whatever name it is asked for; answers by task. */
export function serveQueue(more: Partial<Queue> = {}): Map<number, Said> {
  const said = new Map<number, Said>()
  const classes = ['car', 'bus']
  const counts = () => ({ total: 2, todo: 2 - said.size, leased: 0, done: said.size, skipped: 0 })
  const tasks = [1, 2].map((id) => ({
    id, lease_until: new Date(Date.now() + 600_000).toISOString(), lease_token: 1, url: `/blobs/${id}`, suggestion, why: null, cluster: null, position: id,
    flag: null, answered: null, comments: 0, comments_resolved: 0, comments_hidden: 0, sample: { id, key: `${id}.png`, width: 100, height: 100, thumb: `/thumbs/${id}` },
  })) as unknown as LabelTask[]
  receive('get', '/labeling/queues/:queue', () => HttpResponse.json({
    id: 1, name: 'checks', dataset: 'roads', dataset_id: 1, task: 'detection', classes, state: 'open', counts: counts(), rate_per_hour: 0, answers_per_task: 1, kind: 'boxes',
    mode: 'verify', priority: 'normal', due: null, assignees: [], for_me: true, blind_share: 0, gold_share: 0, review_share: 0, accept_threshold: null, skip_reasons: [], flagged: 0, reviews_open: 0, labels: 0, auto_commit: null,
    mine: { today: 0, total: 0, rate_per_hour: 0, waiting: 0, held: 0, reviews: 0 }, schema: aSchema(classes), archived: null, created: '2026-11-01T12:00:00Z',
    committed_version: null, ...more,
  } satisfies Queue))
  list('/labeling/queues/:queue/tasks', [])
  receive('post', '/labeling/queues/:queue/next', () => HttpResponse.json({ tasks: tasks.filter(({ id }) => !said.has(id)) }))
  receive('post', '/labeling/tasks/:task/answer', ({ params, body }) => {
    said.set(Number(params['task']), body as Said)
    return HttpResponse.json({ task: Number(params['task']), state: 'done', answer: {}, queue: { counts: counts(), state: 'open' } })
  })
  receive('post', '/labeling/tasks/:task/undo', ({ params }) => {
    said.delete(Number(params['task']))
    return HttpResponse.json({ ...tasks.find(({ id }) => id === Number(params['task'])), lease_token: 2, counts: counts() })
  })
  answer('put', '/session/preferences', {})
  return said
}
