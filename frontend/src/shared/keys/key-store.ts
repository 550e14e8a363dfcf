import { useSyncExternalStore } from 'react'

import { loadPreference, onAdopted, savePreference } from '../preferences/preferences'
import { type KeyMap, readKeyMap, type SingleKeys } from './keymap'

const name = 'keymap'
let map = readKeyMap(loadPreference(name))
const listeners = new Set<() => void>()

export function keyMap(): KeyMap {
  return map
}

/** Acts at once; the server hears of it, so that the same person has the same keys on another computer. */
export function setKeyMap(next: KeyMap): void {
  map = next
  savePreference(name, next)
  for (const listener of listeners) listener()
}

export function setSingleKeys(single: SingleKeys): void {
  setKeyMap({ ...map, single })
}

onAdopted(() => {
  map = readKeyMap(loadPreference(name))
  for (const listener of listeners) listener()
})

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useKeyMap(): KeyMap {
  return useSyncExternalStore(subscribe, keyMap)
}
