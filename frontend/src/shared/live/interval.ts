const whileRunning = 1_000
const whileQueued = 3_000
const hiddenFactor = 5
const longestWait = 60_000

export type Pace = 'running' | 'queued' | 'finished'

/** Milliseconds to the next poll; false stops it. Failures back off by doubling, a hidden tab asks five times less often. */
export function pollInterval(pace: Pace, failures: number, hidden: boolean): number | false {
  if (pace === 'finished') return false
  const base = (pace === 'running' ? whileRunning : whileQueued) * (hidden ? hiddenFactor : 1)
  return Math.min(base * 2 ** failures, Math.max(longestWait, base))
}

interface PolledQuery<T> {
  state: { data: T | undefined; error: unknown; errorUpdateCount: number; fetchFailureCount: number }
}

/** A `refetchInterval` for react-query; `pace` reads the last answer, which is undefined before the first. */
export function poll<T>(pace: (data: T | undefined) => Pace): (query: PolledQuery<T>) => number | false {
  return ({ state }) => {
    const failing = state.error !== null
    // A page that never got an answer keeps trying: the server may be starting.
    const wanted = failing ? 'queued' : pace(state.data)
    return pollInterval(wanted, failing ? Math.min(state.errorUpdateCount, 5) : 0, document.hidden)
  }
}

export function jobPace(state: string | undefined): Pace {
  if (state === 'running') return 'running'
  return state === undefined || state === 'queued' ? 'queued' : 'finished'
}
