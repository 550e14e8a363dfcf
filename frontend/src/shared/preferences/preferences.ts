import { api, take } from '../api/client'

/** What a person chose for themselves, as JSON by name. */
export type Preferences = Record<string, unknown>

interface Kept {
  values: Preferences
  /** Whether the server has not heard of the last change yet. */
  unsent: boolean
}

const storageKey = 'motherlode.preferences'
const pause = 500
const listeners = new Set<() => void>()
const watchers = new Set<() => void>()
let sending: ReturnType<typeof setTimeout> | undefined

/** The copy on this computer, so that no page waits for the server's. */
function kept(): Kept {
  try {
    const { values, unsent } = JSON.parse(localStorage.getItem(storageKey) ?? '{}') as Partial<Kept>
    return { values: values ?? {}, unsent: unsent === true }
  } catch {
    return { values: {}, unsent: false }
  }
}

function keep(next: Kept): void {
  localStorage.setItem(storageKey, JSON.stringify(next))
}

export function loadPreference(name: string): unknown {
  return kept().values[name]
}

/** Acts on this computer at once; the server hears of it a moment later, and at the next visit if it can't be reached. */
export function savePreference(name: string, value: unknown): void {
  keep({ values: { ...kept().values, [name]: value }, unsent: true })
  for (const watcher of watchers) watcher()
  clearTimeout(sending)
  sending = setTimeout(() => void send(), pause)
}

/** The server's copy, once the session is known; a change that it has not heard of yet goes there instead. */
export function adoptPreferences(stored: Preferences): void {
  const mine = kept()
  if (mine.unsent) {
    keep({ values: { ...stored, ...mine.values }, unsent: true })
    for (const watcher of watchers) watcher()
    void send()
    return
  }
  keep({ values: stored, unsent: false })
  for (const listener of [...listeners, ...watchers]) listener()
}

/** Told of every change, whoever made it. */
export function onPreference(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

/** Told when the server's copy replaced this one. */
export function onAdopted(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

async function send(): Promise<void> {
  const { values } = kept()
  try {
    await take(api.PUT('/session/preferences', { body: values }))
    // What was changed meanwhile is on its way, or is sent at the next visit.
    if (JSON.stringify(kept().values) === JSON.stringify(values)) keep({ values, unsent: false })
  } catch {
    // Not reached: it stays unsent and is sent at the next visit.
  }
}
