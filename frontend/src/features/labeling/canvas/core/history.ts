/** What was, is and would be again. Values are never changed in place, so that keeping many of them costs little. */
export interface History<T> {
  readonly past: readonly T[]
  readonly present: T
  readonly future: readonly T[]
  /** The gesture that made the present; another step of the same gesture replaces it instead of adding an entry. */
  readonly gesture: string | null
}

const remembered = 500

export function begin<T>(present: T): History<T> {
  return { past: [], present, future: [], gesture: null }
}

/** One entry for each gesture: without a name every call is a gesture of its own. */
export function record<T>(history: History<T>, present: T, gesture: string | null = null): History<T> {
  if (present === history.present) return history
  if (gesture !== null && gesture === history.gesture) return { ...history, present, future: [] }
  return { past: [...history.past, history.present].slice(-remembered), present, future: [], gesture }
}

/** The next step begins an entry of its own, whatever it is called. */
export function endGesture<T>(history: History<T>): History<T> {
  return history.gesture === null ? history : { ...history, gesture: null }
}

export function undo<T>({ past, present, future, ...rest }: History<T>): History<T> {
  const before = past.at(-1)
  if (before === undefined) return { past, present, future, ...rest }
  return { past: past.slice(0, -1), present: before, future: [present, ...future], gesture: null }
}

export function redo<T>({ past, present, future, ...rest }: History<T>): History<T> {
  const [after, ...later] = future
  if (after === undefined) return { past, present, future, ...rest }
  return { past: [...past, present], present: after, future: later, gesture: null }
}
