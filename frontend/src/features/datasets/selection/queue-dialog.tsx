import { useNavigate } from '@tanstack/react-router'

import { api, take } from '../../../shared/api/client'
import { queuesList } from '../../../shared/api/lists'
import { leftOutWords } from '../../../shared/format/left-out'
import { plural } from '../../../shared/format/numbers'
import { SendToQueueDialog } from '../../../shared/queues/send-to-queue-dialog'
import { toast } from '../../../shared/ui/toast-store'
import type { ChangeProps } from '../../../shared/edits/edit-dialog'

/** Puts what is selected before annotators: in a new queue, or behind what waits in another. */
export function SelectionQueueDialog({ dataset, target, onClose }: Omit<ChangeProps, 'onDone'>) {
  const navigate = useNavigate()
  const say = (words: string, leftOut: number, queue: string) => {
    const left = leftOutWords(leftOut, 'sample', 'samples')
    toast(left === null ? 'plain' : 'warn', [words, left].filter(Boolean).join(' '), {
      label: 'Open the queue',
      run: () => void navigate({ to: '/label/$queue', params: { queue } }),
    })
    return queue
  }
  const send = async (name: string, answers: number) => {
    const body = { name, dataset: dataset.name, filter: target.filter, answers_per_task: answers }
    const made = await take(api.POST('/labeling/queues', { body }))
    return say(`${plural(made.counts.total, 'sample')} in the new queue ${name}.`, made.near_duplicates.left_out, name)
  }
  const add = async (queue: string) => {
    const told = await take(api.POST('/labeling/queues/{reference}/samples', { params: { path: { reference: queue } }, body: { filter: target.filter } }))
    const already = told.already > 0 ? ` ${plural(told.already, 'was', 'were')} in it already.` : ''
    return say(`${plural(told.added, 'sample')} added to ${queue}.${already}`, told.left_out, queue)
  }
  return (
    <SendToQueueDialog
      title={`Send ${plural(target.count, 'sample')} to a queue`}
      field="name"
      name={`${dataset.name}-selection`}
      send={send}
      // No round of a pipeline counts the samples of those that take more.
      existing={{ source: (q) => queuesList(null, { q, dataset: dataset.name, state: 'open,complete' }), fits: ({ auto_commit }) => auto_commit === null, add }}
      stays
      onClose={onClose}
    />
  )
}
