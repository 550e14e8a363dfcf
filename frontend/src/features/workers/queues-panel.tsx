import type { QueueDepth } from '../../shared/api/types'
import { count } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'

const columns = ['Queue', { name: 'Waiting shards', number: true }, { name: 'Running shards', number: true }, { name: 'Messages in the broker', number: true }] as const

/** How much waits for workers. */
export function QueuesPanel({ queues }: { queues: readonly QueueDepth[] }) {
  return (
    <section className="panel" aria-labelledby="queues">
      <div className="panel-head">
        <h2 id="queues">Queues</h2>
      </div>
      {queues.length === 0 ? (
        <p className="panel-body quiet">No queue has been used yet.</p>
      ) : (
        <Table caption="Work queues" columns={columns} className="tight">
          {queues.map((queue) => (
            <tr key={queue.name}>
              <th scope="row">{queue.name}</th>
              <td className="number">{count(queue.shards_waiting)}</td>
              <td className="number">{count(queue.running)}</td>
              <td className="number">{queue.waiting === null ? 'not told' : count(queue.waiting)}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  )
}
