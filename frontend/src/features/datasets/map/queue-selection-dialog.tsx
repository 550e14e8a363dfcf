import { api, take } from '../../../shared/api/client'
import type { EmbeddingMap } from '../../../shared/api/types'
import { leftOutWords } from '../../../shared/format/left-out'
import { plural } from '../../../shared/format/numbers'
import { SendToQueueDialog } from '../../../shared/queues/send-to-queue-dialog'
import { toast } from '../../../shared/ui/toast-store'

interface QueueSelectionDialogProps {
  map: EmbeddingMap
  ids: readonly number[]
  onClose: () => void
}

/** Puts what was selected on the map before annotators. */
export function QueueSelectionDialog({ map, ids, onClose }: QueueSelectionDialogProps) {
  const send = async (name: string, answers: number) => {
    const body = { name, dataset: map.dataset, filter: { samples: [...ids] }, answers_per_task: answers }
    const made = await take(api.POST('/labeling/queues', { body }))
    const leftOut = leftOutWords(made.near_duplicates.left_out, 'sample', 'samples')
    if (leftOut !== null) toast('plain', leftOut)
    return String(made.id)
  }
  return <SendToQueueDialog title={`Send ${plural(ids.length, 'sample')} to a queue`} field="name" name={`map-${map.id}`} send={send} onClose={onClose} />
}
