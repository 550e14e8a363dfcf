import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'

import { Dialog } from '../ui/dialog'
import { DialogButtons } from '../ui/dialog-buttons'
import { Field, faultOf, FormFault } from '../ui/form'

interface SendToQueueDialogProps {
  title: string
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
export function SendToQueueDialog({ title, name: proposed, children, changes = [], send, onClose }: SendToQueueDialogProps) {
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
    <Dialog open onClose={onClose} title={title}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          sending.mutate()
        }}
      >
        <Field label="Name of the queue" fault={faultOf(sending.error, 'queue') ?? faultOf(sending.error, 'name')}>
          {(joined) => <input {...joined} className="field" required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />}
        </Field>
        <Field label="Answers for each sample" hint="More than one asks several people, to see where they disagree." fault={faultOf(sending.error, 'answers_per_task')}>
          {(joined) => <input {...joined} className="field" type="number" min={1} max={9} required value={answers} onChange={({ target }) => setAnswers(target.value)} />}
        </Field>
        {children}
        <FormFault error={sending.error} fields={['queue', 'name', 'answers_per_task']} />
        <DialogButtons pending={sending.isPending} doing="Sending…" onClose={onClose}>
          Send
        </DialogButtons>
      </form>
    </Dialog>
  )
}
