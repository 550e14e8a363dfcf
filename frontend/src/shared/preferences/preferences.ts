/** What a person chose for themselves, as JSON by name: a copy on this computer, so that a page need not wait for it. */
type Preferences = Record<string, unknown>

const storageKey = 'motherlode.preferences'

function readLocal(): Preferences {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '{}')
    return typeof stored === 'object' && stored !== null ? (stored as Preferences) : {}
  } catch {
    return {}
  }
}

export function loadPreference(name: string): unknown {
  return readLocal()[name]
}

export function savePreference(name: string, value: unknown): void {
  localStorage.setItem(storageKey, JSON.stringify({ ...readLocal(), [name]: value }))
}
