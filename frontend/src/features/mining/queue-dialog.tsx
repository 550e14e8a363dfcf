import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import type { MiningJob } from '../../shared/api/types'
import { Dialog } from '../../shared/ui/dialog'
import { Field, faultOf, FormFault } from '../../shared/ui/form'
import { figure } from './explanation'

interface QueueDialogProps {
  job: MiningJob
  /** From which score on; null takes all. */
  cut: number | null
  onClose: () => void
}

/** Puts the picks before annotators, the best first. */
export function QueueDialog({ job, cut, onClose }: QueueDialogProps) {
  const [name, setName] = useState(`mining-${job.id}`)
  const [answers, setAnswers] = useState('1')
  const client = useQueryClient()
  const navigate = useNavigate()
  const send = useMutation({
    mutationFn: () =>
      take(
        api.POST('/mining/jobs/{id}/queue', {
          params: { path: { id: job.id } },
          body: { queue: name, answers_per_task: Number(answers), ...(cut === null ? {} : { min_score: cut }) },
        }),
      ),
    onSuccess: async ({ queue }) => {
      await Promise.all(['mining', 'queues'].map((noun) => client.invalidateQueries({ queryKey: [noun] })))
      onClose()
      await navigate({ to: '/label/$queue', params: { queue } })
    },
  })
  return (
    <Dialog open onClose={onClose} title="Send the picks to a queue">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          send.mutate()
        }}
      >
        <Field label="Name of the queue" fault={faultOf(send.error, 'queue') ?? faultOf(send.error, 'name')}>
          {(joined) => <input {...joined} className="field" required maxLength={100} value={name} onChange={({ target }) => setName(target.value)} />}
        </Field>
        <Field label="Answers for each sample" hint="More than one asks several people, to see where they disagree." fault={faultOf(send.error, 'answers_per_task')}>
          {(joined) => <input {...joined} className="field" type="number" min={1} max={9} required value={answers} onChange={({ target }) => setAnswers(target.value)} />}
        </Field>
        {cut !== null && (
          <p className="quiet">
            Only the picks from score {figure(cut)} on, and the whole control arm. The rest of the picks can&rsquo;t be queued from this job later.
          </p>
        )}
        <FormFault error={send.error} fields={['queue', 'name', 'answers_per_task']} />
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
