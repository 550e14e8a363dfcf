import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'

import type { Queue } from '../api/types'
import type { ListQuery } from '../lists/pages'
import { PickField } from '../picking/pick-field'
import { TextField } from '../ui/fields'
import { FormDialog } from '../ui/form-dialog'

interface SendToQueueDialogProps {
  title: string
  /** What the server calls the name of the queue. */
  field: 'name' | 'queue'
  /** The name that is proposed. */
  name: string
  /** What else has to be said before. */
  children?: ReactNode
  /** What is stale afterwards besides the queues. */
  changes?: readonly string[]
  /** Makes the queue; the answer is its name or id. */
  send: (name: string, answersPerTask: number) => Promise<string>
  /** Queues that take more samples, and how they get them. */
  existing?: { source: (q: string) => ListQuery<Queue>; fits: (queue: Queue) => boolean; add: (queue: string) => Promise<string> }
  /** Leads nowhere: whoever sends says where the samples are. */
  stays?: boolean
  onClose: () => void
}

/** Asks for the name of a queue and the answers to a sample, makes it, and goes there; where there are others, the samples may go into one of those. */
export function SendToQueueDialog({ title, field, name: proposed, children, changes = [], send, existing, stays = false, onClose }: SendToQueueDialogProps) {
  const [name, setName] = useState(proposed)
  const [answers, setAnswers] = useState('1')
  const [to, setTo] = useState('')
  const client = useQueryClient()
  const navigate = useNavigate()
  const sending = useMutation({
    mutationFn: () => (existing && to !== '' ? existing.add(to) : send(name, Number(answers))),
    onSuccess: async (queue) => {
      await Promise.all(['queues', ...changes].map((noun) => client.invalidateQueries({ queryKey: [noun] })))
      onClose()
      if (!stays) await navigate({ to: '/label/$queue', params: { queue } })
    },
  })
  return (
    <FormDialog title={title} onClose={onClose} sending={sending} action="Send" doing="Sending…">
      {existing && (
        <PickField
          label="Queue"
          first={[{ value: '', words: 'A new queue' }]}
          source={existing.source}
          choices={(queue) => (existing.fits(queue) ? [{ value: queue.name }] : [])}
          value={to}
          onChange={setTo}
        />
      )}
      {to === '' && (
        <>
          <TextField name={field} label="Name of the queue" required maxLength={100} value={name} onChange={setName} />
          <TextField
            name="answers_per_task"
            label="Answers per sample"
            hint="With more than one, several people answer, so you see where they disagree."
            type="number"
            min={1}
            max={9}
            required
            value={answers}
            onChange={setAnswers}
          />
        </>
      )}
      {children}
    </FormDialog>
  )
}
