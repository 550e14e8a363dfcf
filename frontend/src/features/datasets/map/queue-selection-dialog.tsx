import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { EmbeddingMap } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { Dialog } from '../../../shared/ui/dialog'
import { Field, faultOf, FormFault } from '../../../shared/ui/form'

interface QueueSelectionDialogProps {
  map: EmbeddingMap
  ids: readonly number[]
  onClose: () => void
}

/** Puts what was selected on the map before annotators. */
export function QueueSelectionDialog({ map, ids, onClose }: QueueSelectionDialogProps) {
  const [name, setName] = useState(`map-${map.id}`)
  const [answers, setAnswers] = useState('1')
  const client = useQueryClient()
  const navigate = useNavigate()
  const send = useMutation({
    mutationFn: () => take(api.POST('/labeling/queues', { body: { name, dataset: map.dataset, filter: { samples: [...ids] }, answers_per_task: Number(answers) } })),
    onSuccess: async (queue) => {
      await client.invalidateQueries({ queryKey: ['queues'] })
      onClose()
      await navigate({ to: '/label/$queue', params: { queue: String(queue.id) } })
    },
  })
  return (
    <Dialog open onClose={onClose} title={`Send ${plural(ids.length, 'sample')} to a queue`}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          send.mutate()
        }}
      >
        <Field label="Name of the queue" fault={faultOf(send.error, 'name')}>
          {(joined) => <input {...joined} className="field" required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />}
        </Field>
        <Field label="Answers for each sample" hint="More than one asks several people, to see where they disagree." fault={faultOf(send.error, 'answers_per_task')}>
          {(joined) => <input {...joined} className="field" type="number" min={1} max={9} required value={answers} onChange={({ target }) => setAnswers(target.value)} />}
        </Field>
        <FormFault error={send.error} fields={['name', 'answers_per_task']} />
        <div className="row">
          <button type="submit" className="button primary" disabled={send.isPending}>
            {send.isPending ? 'Sending…' : 'Send'}
          </button>
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
