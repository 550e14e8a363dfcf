import { api, take } from '../../../shared/api/client'
import type { EmbeddingMap } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { SendToQueueDialog } from '../../../shared/queues/send-to-queue-dialog'

interface QueueSelectionDialogProps {
  map: EmbeddingMap
  ids: readonly number[]
  onClose: () => void
}

/** Puts what was selected on the map before annotators. */
export function QueueSelectionDialog({ map, ids, onClose }: QueueSelectionDialogProps) {
  const send = async (name: string, answers: number) => {
    const body = { name, dataset: map.dataset, filter: { samples: [...ids] }, answers_per_task: answers }
    return String((await take(api.POST('/labeling/queues', { body }))).id)
  }
  return <SendToQueueDialog title={`Send ${plural(ids.length, 'sample')} to a queue`} name={`map-${map.id}`} send={send} onClose={onClose} />
}
