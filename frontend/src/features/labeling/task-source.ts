import { api, reach, take } from '../../shared/api/client'
import { ApiProblem, isStatus } from '../../shared/api/errors'
import { asProblem } from '../../shared/api/client'
import { newId } from '../../shared/api/new-id'
import { cursorOf } from '../../shared/api/pages'
import type { Id, LabelTask, ListedTask, TaskFacts } from '../../shared/api/types'
import type { AnsweredTask, LeasedTask } from './leased-task'
import { clockSkew, dueForRenewal, type HeldLease, held } from './lease'

export interface Offer {
  leasedTasks: LeasedTask[]
  /** Tasks that others hold, when there is nothing for me. */
  leased: number
  /** Seconds until the first of those leases runs out. */
  nextFrees: number | null
  /** Of a grid: the classes that are suggested, and how many tasks of each are there for me. */
  clusters?: { name: string; todo: number }[]
}

/** Where a session's tasks come from. */
export interface TaskSource {
  /** Server time minus local time, ms. */
  skew: number
  next(queue: Id, count: number, cluster?: string): Promise<Offer>
  renewDue(leasedTasks: LeasedTask[], now: number): Promise<Map<string, HeldLease | 'lost'>>
  /** What this person said before, the newest first; `cursor` goes on where the last page ended. */
  earlier(queue: Id, cursor: string | undefined): Promise<{ past: AnsweredTask[]; next: string | null }>
}

const heartbeat = 60_000
/** Of a task that was answered on another visit: correcting it brings a new lease with it. */
const longOver: HeldLease = { token: 0, until: 0, taken: 0 }

export class RestTaskSource implements TaskSource {
  skew = 0
  private renewing = false
  private lastBeat = Date.now()
  private readonly images = new Map<string, HTMLImageElement>()

  /** `pictureOf` names what is shown of a task first: the image itself, or in a grid its thumbnail; `kept` many are held decoded. */
  constructor(
    private readonly pictureOf: (task: TaskFacts) => string = (task) => task.url,
    private readonly kept = 32,
  ) {}

  async next(queue: Id, count: number, cluster?: string): Promise<Offer> {
    const call = api.POST('/labeling/queues/{reference}/next', { params: { path: { reference: String(queue) } }, body: { count, ...(cluster === undefined ? {} : { cluster }) } })
    const { data, error, response } = await reach(call)
    if (!response.ok) throw new ApiProblem(asProblem(error, response))
    const now = Date.now()
    this.skew = clockSkew(response, now)
    const tasks = (data?.tasks ?? []) as LabelTask[]
    const leasedTasks = tasks.map((task) => ({ task, lease: held(task, this.skew, now) }))
    for (const { task } of leasedTasks) this.preload(this.pictureOf(task))
    return { leasedTasks, leased: header(response, 'X-Queue-Leased') ?? 0, nextFrees: header(response, 'X-Queue-Next-Frees'), ...(data?.clusters ? { clusters: data.clusters } : {}) }
  }

  /** Renews what is half used, and the task on the screen every minute as a sign of life; a hidden tab renews nothing. */
  async renewDue(leasedTasks: LeasedTask[], now: number): Promise<Map<string, HeldLease | 'lost'>> {
    const renewed = new Map<string, HeldLease | 'lost'>()
    if (this.renewing || document.hidden) return renewed
    const beat = now - this.lastBeat >= heartbeat
    if (beat) this.lastBeat = now
    const due = leasedTasks.filter((leasedTask, place) => dueForRenewal(leasedTask.lease, now) || (beat && place === 0))
    if (due.length === 0) return renewed
    this.renewing = true
    try {
      for (const leasedTask of due) renewed.set(String(leasedTask.task.id), await this.renew(leasedTask))
    } finally {
      this.renewing = false
    }
    return renewed
  }

  async earlier(queue: Id, cursor: string | undefined): Promise<{ past: AnsweredTask[]; next: string | null }> {
    const query = { author: 'me' as const, ...(cursor === undefined ? {} : { cursor }) }
    const page = await take(api.GET('/labeling/queues/{reference}/tasks', { params: { path: { reference: String(queue) }, query } }))
    const tasks = page.results as ListedTask[]
    const past = tasks.map((task) => ({ task, lease: longOver, chosen: task.answered?.value ?? null, entry: newId() }))
    return { past, next: cursorOf(page.next) }
  }

  private async renew({ task, lease }: LeasedTask): Promise<HeldLease | 'lost'> {
    try {
      const fresh = await take(api.POST('/labeling/tasks/{id}/renew', { params: { path: { id: task.id } } }))
      return held(fresh, this.skew, Date.now())
    } catch (error) {
      if (isStatus(error, 409) || isStatus(error, 404)) return 'lost'
      // Not reached: the lease stands as it was and is tried again a little later.
      return { ...lease, taken: Date.now() }
    }
  }

  /** Loaded and decoded before it is shown, so that the next image appears at once. A few are held; the browser's cache keeps the rest. */
  private preload(url: string): void {
    if (this.images.has(url)) return
    const image = new Image()
    image.src = url
    // An image that cannot be had says so when it is shown.
    image.decode().catch(() => undefined)
    this.images.set(url, image)
    const oldest = this.images.keys().next().value
    if (this.images.size > this.kept && oldest !== undefined) this.images.delete(oldest)
  }
}

function header(response: Response, name: string): number | null {
  const value = response.headers.get(name)
  return value === null || value === '' ? null : Number(value)
}
