import '../../../shared/ui/form.css'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { Queue, QueueChanges } from '../../../shared/api/types'
import { Dialog } from '../../../shared/ui/dialog'
import { FormFault } from '../../../shared/ui/form'
import { toast } from '../../../shared/ui/toast-store'
import { changesOf, draftOf, type Fault, faultsOf, kindsOf } from './draft'
import { TaskList } from './task-list'
import { TermsFields } from './terms-fields'

const fields = ['kind', 'blind_share', 'gold_share', 'review_share', 'accept_threshold', 'skip_reasons']

interface QueueDrawerProps {
  queue: Queue
  /** Owners and reviewers change the terms and bring skipped images back. */
  leads: boolean
  onClose: () => void
}

/** A queue's terms, and what was skipped or flagged in it. */
export function QueueDrawer({ queue, leads, onClose }: QueueDrawerProps) {
  return (
    <Dialog open onClose={onClose} title={queue.name} drawer wide>
      <div className="stack wide-gap">
        {leads && <Terms queue={queue} />}
        <TaskList queue={queue} of="skipped" leads={leads} />
        <TaskList queue={queue} of="flagged" leads={leads} />
      </div>
    </Dialog>
  )
}

function Terms({ queue }: { queue: Queue }) {
  const client = useQueryClient()
  const [draft, setDraft] = useState(() => draftOf(queue))
  const [faults, setFaults] = useState<Fault>({})
  const change = useMutation({
    mutationFn: (body: QueueChanges) =>
      take(api.PATCH('/labeling/queues/{reference}', { params: { path: { reference: String(queue.id) } }, body })),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['queues'] })
      toast('plain', `“${queue.name}” is changed.`)
    },
  })
  return (
    <form
      className="form-lines"
      aria-label="Terms of the queue"
      onSubmit={(event) => {
        event.preventDefault()
        const found = faultsOf(draft)
        setFaults(found)
        if (Object.keys(found).length === 0) change.mutate(changesOf(draft))
      }}
    >
      <div className="form-columns">
        <TermsFields draft={draft} kinds={kindsOf[queue.task] ?? [queue.kind]} faults={faults} error={change.error} onChange={setDraft} />
      </div>
      <FormFault error={change.error} fields={fields} found={faults} />
      <span className="row">
        <button type="submit" className="button primary" disabled={change.isPending || queue.state === 'committed'}>
          {change.isPending ? 'Saving…' : 'Save'}
        </button>
        {queue.state === 'committed' && <span className="quiet">It is committed; nothing can be changed any more.</span>}
      </span>
    </form>
  )
}
