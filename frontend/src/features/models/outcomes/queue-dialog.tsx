import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { NamedSample, Queue } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { ModeField } from '../../../shared/queues/mode-field'
import { SendToQueueDialog } from '../../../shared/queues/send-to-queue-dialog'

interface OutcomesQueueDialogProps {
  dataset: string
  /** The name that is proposed. */
  name: string
  samples: readonly NamedSample[]
  split: string
  /** Labels have objects, which can be asked about one by one. */
  shapes: boolean
  onClose: () => void
}

/** Puts samples that were told wrong before annotators, in the order of the list. */
export function OutcomesQueueDialog({ dataset, name: proposed, samples, split, shapes, onClose }: OutcomesQueueDialogProps) {
  const [mode, setMode] = useState<Queue['mode']>(shapes ? 'verify' : 'label')
  const send = async (name: string, answers: number) => {
    const body = { name, dataset, samples: samples.map(({ key }) => key), answers_per_task: answers, ...(shapes ? { mode } : {}) }
    return String((await take(api.POST('/labeling/queues', { body }))).id)
  }
  return (
    <SendToQueueDialog title={`Send ${plural(samples.length, 'sample')} to a queue`} field="name" name={proposed} send={send} onClose={onClose}>
      {shapes && <ModeField mode={mode} onChange={setMode} />}
      {shapes && <p className="quiet small">{mode === 'verify' ? 'People are asked about each object of the present label, then whether one is missing.' : 'People draw anew, without the present label before them.'}</p>}
      <p className="quiet small">
        The samples stay in split {split}. What people answer mends the labels that models are judged by; nothing is trained on them.
      </p>
    </SendToQueueDialog>
  )
}
