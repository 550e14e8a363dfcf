import { useInfiniteQuery, useMutation } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import { cursorOf } from '../../../shared/api/pages'
import type { ListedTask, Queue } from '../../../shared/api/types'
import { count, plural, when } from '../../../shared/format/numbers'
import { Failure, Skeleton } from '../../../shared/ui/messages'
import { toast } from '../../../shared/ui/toast-store'

const titles = { skipped: 'Skipped', flagged: 'Flagged' }
const nothing = { skipped: 'Nobody has skipped an image.', flagged: 'Nobody has flagged an image.' }

interface TaskListProps {
  queue: Queue
  of: 'skipped' | 'flagged'
  canReview: boolean
}

/** Images that were skipped or flagged, each with who said why. */
export function TaskList({ queue, of, canReview }: TaskListProps) {
  const tasks = useInfiniteQuery({
    queryKey: ['queues', String(queue.id), 'tasks', of],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) => tasksOf(queue, of, pageParam),
    getNextPageParam: (last) => last.next,
  })
  const requeue = useRequeue(queue)
  const rows = tasks.data?.pages.flatMap((page) => page.results) ?? []
  return (
    <section aria-labelledby={`list-${of}`} className="stack">
      <div className="row">
        <h3 id={`list-${of}`} className="grow">
          {titles[of]} {rows.length > 0 && <span className="quiet">{count(of === 'skipped' ? queue.counts.skipped : queue.flagged)}</span>}
        </h3>
        {of === 'skipped' && canReview && queue.counts.skipped > 0 && queue.state !== 'committed' && (
          <button type="button" className="button little" disabled={requeue.isPending} onClick={() => requeue.mutate({ skipped: true })}>
            Return all skipped to the queue
          </button>
        )}
      </div>
      {tasks.isPending && <Skeleton height={64} />}
      {tasks.isError && <Failure what="The images could not be loaded" error={tasks.error} retry={() => void tasks.refetch()} />}
      {tasks.isSuccess && rows.length === 0 && <p className="quiet">{nothing[of]}</p>}
      <ul className="said-tasks">
        {rows.map((task) => (
          <SaidTask key={task.id} task={task} of={of}>
            {of === 'skipped' && canReview && task.state === 'skipped' && (
              <button
                type="button"
                className="button little"
                disabled={requeue.isPending}
                onClick={() => requeue.mutate({ tasks: [task.id] })}
              >
                Put back<span className="visually-hidden"> {task.sample.key}</span>
              </button>
            )}
          </SaidTask>
        ))}
      </ul>
      {tasks.hasNextPage && (
        <button type="button" className="button" disabled={tasks.isFetchingNextPage} onClick={() => void tasks.fetchNextPage()}>
          More
        </button>
      )}
    </section>
  )
}

function SaidTask({ task, of, children }: { task: ListedTask; of: TaskListProps['of']; children: React.ReactNode }) {
  const said = of === 'skipped' ? task.skips.map(({ author, reason, created }) => ({ author, words: reason, created })) : task.flags.map(({ author, note, created }) => ({ author, words: note, created }))
  return (
    <li>
      <img src={task.sample.thumb} width={48} height={48} alt="" loading="lazy" />
      <span className="stack grow" style={{ gap: 0 }}>
        <span className="cut mono small">{task.sample.key}</span>
        {said.map(({ author, words, created }) => (
          <span key={`${author} ${created}`} className="small">
            {words === '' ? <span className="quiet">no reason given</span> : words} <span className="quiet">· {author}, {when(created)}</span>
          </span>
        ))}
      </span>
      {children}
    </li>
  )
}

async function tasksOf(queue: Queue, of: TaskListProps['of'], cursor: string | null): Promise<{ results: ListedTask[]; next: string | null }> {
  const query = { ...(of === 'skipped' ? { state: 'skipped' } : { flagged: true }), ...(cursor === null ? {} : { cursor }) }
  const page = await take(api.GET('/labeling/queues/{reference}/tasks', { params: { path: { reference: String(queue.id) }, query } }))
  return { results: page.results as ListedTask[], next: cursorOf(page.next) }
}

function useRequeue(queue: Queue) {
  return useMutation({
    mutationFn: (body: { tasks?: number[]; skipped?: boolean }) =>
      take(
        api.POST('/labeling/queues/{reference}/requeue', {
          params: { path: { reference: String(queue.id) } },
          body: { tasks: body.tasks ?? null, skipped: body.skipped ?? false },
        }),
      ),
    meta: { renews: [['queues']], refused: 'Nothing was returned to the queue.' },
    onSuccess: ({ requeued }) => {
      toast('plain', `${plural(requeued, 'image')} put back into “${queue.name}”.`)
    },
  })
}
