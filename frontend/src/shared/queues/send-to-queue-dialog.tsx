import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'

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
  onClose: () => void
}

/** Asks for the name of a queue and the answers to a sample, makes it, and goes there. */
export function SendToQueueDialog({ title, field, name: proposed, children, changes = [], send, onClose }: SendToQueueDialogProps) {
  const [name, setName] = useState(proposed)
  const [answers, setAnswers] = useState('1')
  const client = useQueryClient()
  const navigate = useNavigate()
  const sending = useMutation({
    mutationFn: () => send(name, Number(answers)),
    onSuccess: async (queue) => {
      await Promise.all(['queues', ...changes].map((noun) => client.invalidateQueries({ queryKey: [noun] })))
      onClose()
      await navigate({ to: '/label/$queue', params: { queue } })
    },
  })
  return (
    <FormDialog title={title} onClose={onClose} sending={sending} action="Send" doing="Sending…">
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
      {children}
    </FormDialog>
  )
}
