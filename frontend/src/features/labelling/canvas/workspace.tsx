import type { Queue } from '../../../shared/api/types'
import { Empty } from '../../../shared/ui/messages'

/** Stands in until the canvas is merged. */
export function CanvasWorkspace({ queue }: { queue: Queue }) {
  return (
    <div className="page">
      <Empty>“{queue.name}” asks for shapes.</Empty>
    </div>
  )
}
