import { useMemo, useSyncExternalStore } from 'react'

import { loadPreference, onPreference, savePreference } from './preferences'

/** What a person chose, as `read` understands it, and how to choose again. `read` gets undefined where nothing was chosen. */
export function usePreference<Value>(name: string, read: (stored: unknown) => Value): readonly [Value, (value: Value) => void] {
  const stored = useSyncExternalStore(onPreference, () => {
    const kept = loadPreference(name)
    return kept === undefined ? '' : JSON.stringify(kept)
  })
  const value = useMemo(() => read(stored === '' ? undefined : JSON.parse(stored)), [read, stored])
  return [value, (next) => savePreference(name, next)]
}
