const whileRunning = 1_000
const whileQueued = 3_000
const longestWait = 60_000
/** After so many answers without news the wait doubles, up to twice. */
const patience = 5

export type Pace = 'running' | 'queued' | 'finished'

interface Circumstances {
  /** In a row, up to now. */
  failures: number
  /** Answers in a row that told nothing new. */
  unchanged?: number
  /** Requests that one poll takes. */
  requests?: number
}

/** Milliseconds to the next poll; false stops it. Failures back off by doubling; what does not change is asked for less often. */
export function pollInterval(pace: Pace, { failures, unchanged = 0, requests = 1 }: Circumstances): number | false {
  if (pace === 'finished') return false
  const base = (pace === 'running' ? whileRunning : whileQueued) * requests * 2 ** Math.min(2, Math.floor(unchanged / patience))
  return Math.min(base * 2 ** failures, Math.max(longestWait, base))
}

interface PolledQuery<T> {
  state: { data: T | undefined; error: unknown; errorUpdateCount: number; dataUpdateCount: number }
}

/** For each query: what it held when it last changed, and which of its answers that was. */
const lastChanges = new WeakMap<object, { data: unknown; answer: number }>()

function unchangedAnswers<T>(query: PolledQuery<T>): number {
  const { data, dataUpdateCount } = query.state
  const last = lastChanges.get(query)
  // An answer with the same content keeps the object of the one before.
  if (last && last.data === data) return dataUpdateCount - last.answer
  lastChanges.set(query, { data, answer: dataUpdateCount })
  return 0
}

/**
 * A `refetchInterval` for react-query, which does not poll in a hidden tab; `pace` reads the last answer, which is undefined
 * before the first, and `requests` says how many requests it took.
 */
export function poll<T>(pace: (data: T | undefined) => Pace, requests: (data: T | undefined) => number = () => 1): (query: PolledQuery<T>) => number | false {
  return (query) => {
    const { data, error, errorUpdateCount } = query.state
    const failing = error !== null
    // A page that never got an answer keeps trying: the server may be starting.
    const wanted = failing ? 'queued' : pace(data)
    return pollInterval(wanted, { failures: failing ? Math.min(errorUpdateCount, 5) : 0, unchanged: unchangedAnswers(query), requests: requests(data) })
  }
}

export function jobPace(state: string | undefined): Pace {
  if (state === 'running') return 'running'
  return state === undefined || state === 'queued' ? 'queued' : 'finished'
}
