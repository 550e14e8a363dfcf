import '../../../shared/ui/form.css'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { Queue, QueueChanges } from '../../../shared/api/types'
import { Dialog } from '../../../shared/ui/dialog'
import { Form } from '../../../shared/ui/form'
import { toast } from '../../../shared/ui/toast-store'
import { ModeField } from '../../../shared/queues/mode-field'
import { taskTypeOf } from '../../../tasktypes'
import { changesOf, draftOf, faultsOf } from './draft'
import { TaskList } from './task-list'
import { QueueSettingsFields } from './settings-fields'
import { VerifyStatistics } from './verify-statistics'

interface QueueDrawerProps {
  queue: Queue
  /** Reviewers and up change the settings and return skipped images to the queue. */
  canReview: boolean
  onClose: () => void
}

/** A queue's settings, and what was skipped or flagged in it. */
export function QueueDrawer({ queue, canReview, onClose }: QueueDrawerProps) {
  return (
    <Dialog onClose={onClose} title={queue.name} drawer wide>
      <div className="stack wide-gap">
        {canReview && <QueueSettings queue={queue} />}
        {canReview && taskTypeOf(queue.task).answer === 'shapes' && <VerifyStatistics queue={queue} />}
        <TaskList queue={queue} of="skipped" canReview={canReview} />
        <TaskList queue={queue} of="flagged" canReview={canReview} />
      </div>
    </Dialog>
  )
}

const committed = 'The queue is committed: its settings can’t be changed any more.'

function QueueSettings({ queue }: { queue: Queue }) {
  const [draft, setDraft] = useState(() => draftOf(queue))
  const change = useMutation({
    mutationFn: (body: QueueChanges) =>
      take(api.PATCH('/labeling/queues/{reference}', { params: { path: { reference: String(queue.id) } }, body })),
    meta: { renews: [['queues']] },
    onSuccess: () => {
      toast('plain', `“${queue.name}” is changed.`)
    },
  })
  return (
    <Form
      className="form-lines"
      aria-label="Queue settings"
      sending={change}
      onSend={() => change.mutate(changesOf(draft))}
      faults={faultsOf(draft)}
      action="Save"
      doing="Saving…"
      refusal={queue.state === 'committed' ? committed : null}
      beside={queue.state === 'committed' && <span className="quiet">{committed}</span>}
    >
      <div className="form-columns">
        {taskTypeOf(queue.task).answer === 'shapes' && <ModeField mode={draft.mode} onChange={(mode) => setDraft({ ...draft, mode })} />}
        <QueueSettingsFields draft={draft} kinds={taskTypeOf(queue.task).editors} onChange={setDraft} />
      </div>
    </Form>
  )
}
