import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import type { MiningJob, Queue } from '../../shared/api/types'
import { useDataset } from '../../shared/api/queries'
import { ModeField } from '../../shared/queues/mode-field'
import { SendToQueueDialog } from '../../shared/queues/send-to-queue-dialog'
import { taskTypeOf } from '../../tasktypes'
import { figure } from './explanation'

interface QueueDialogProps {
  job: MiningJob
  /** From which score on; null takes all. */
  cut: number | null
  onClose: () => void
}

/** Puts the picks before annotators, the best first. */
export function QueueDialog({ job, cut, onClose }: QueueDialogProps) {
  const task = useDataset(job.dataset)?.task ?? ''
  const [mode, setMode] = useState<Queue['mode']>('label')
  const send = async (name: string, answers: number) => {
    const body = { queue: name, answers_per_task: answers, mode, ...(cut === null ? {} : { min_score: cut }) }
    return (await take(api.POST('/mining/jobs/{id}/queue', { params: { path: { id: job.id } }, body }))).queue
  }
  return (
    <SendToQueueDialog title="Send the picks to a queue" field="queue" name={`mining-${job.id}`} changes={['mining']} send={send} onClose={onClose}>
      {taskTypeOf(task).answer === 'shapes' && <ModeField mode={mode} onChange={setMode} />}
      {cut !== null && (
        <p className="quiet">
          Sends only the picks with a score of {figure(cut)} or more, and the whole control arm. You can&rsquo;t queue the other picks of this job later.
        </p>
      )}
    </SendToQueueDialog>
  )
}
