import { useSyncExternalStore } from 'react'

/** Which single-character keys act: everything, all but letters, or none (WCAG 2.1.4 asks for the way out). */
export type SingleKeys = 'all' | 'digits' | 'none'

const storageKey = 'motherlode.single-keys'
const listeners = new Set<() => void>()

export function singleKeys(): SingleKeys {
  const stored = localStorage.getItem(storageKey)
  return stored === 'digits' || stored === 'none' ? stored : 'all'
}

export function setSingleKeys(choice: SingleKeys): void {
  localStorage.setItem(storageKey, choice)
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useSingleKeys(): SingleKeys {
  return useSyncExternalStore(subscribe, singleKeys)
}
