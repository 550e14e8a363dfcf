import '../../../shared/ui/form.css'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { Queue, QueueChanges } from '../../../shared/api/types'
import { Dialog } from '../../../shared/ui/dialog'
import { Form } from '../../../shared/ui/form'
import { toast } from '../../../shared/ui/toast-store'
import { changesOf, draftOf, faultsOf, kindsOf } from './draft'
import { TaskList } from './task-list'
import { TermsFields } from './terms-fields'

interface QueueDrawerProps {
  queue: Queue
  /** Owners and reviewers change the terms and bring skipped images back. */
  leads: boolean
  onClose: () => void
}

/** A queue's terms, and what was skipped or flagged in it. */
export function QueueDrawer({ queue, leads, onClose }: QueueDrawerProps) {
  return (
    <Dialog onClose={onClose} title={queue.name} drawer wide>
      <div className="stack wide-gap">
        {leads && <Terms queue={queue} />}
        <TaskList queue={queue} of="skipped" leads={leads} />
        <TaskList queue={queue} of="flagged" leads={leads} />
      </div>
    </Dialog>
  )
}

function Terms({ queue }: { queue: Queue }) {
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
      blocked={queue.state === 'committed'}
      beside={queue.state === 'committed' && <span className="quiet">The queue is committed: its settings can’t be changed any more.</span>}
    >
      <div className="form-columns">
        <TermsFields draft={draft} kinds={kindsOf[queue.task] ?? [queue.kind]} onChange={setDraft} />
      </div>
    </Form>
  )
}
