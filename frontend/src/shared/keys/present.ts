import { useEffect, useSyncExternalStore } from 'react'

import type { Scope } from './keymap'

/** What digits do on a page: the keys as they are printed, and words for it. */
export type DigitsMean = readonly (readonly [keys: string, words: string])[]

/** The keys that the page has of its own, beside those of every page. */
interface Present {
  scope: Scope
  digits: DigitsMean
}

let present: Present | null = null
let shown = false
const listeners = new Set<() => void>()

function tell(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Says whose keys act for as long as the calling component is there. */
export function usePresentKeys(scope: Scope, digits: DigitsMean): void {
  useEffect(() => {
    const mine = { scope, digits }
    present = mine
    return () => {
      if (present === mine) present = null
    }
  }, [scope, digits])
}

/** Opens or closes the list of the keys that act on this page. */
export function showKeys(open = true): void {
  shown = open
  tell()
}

/** The page's own keys while the list is to be seen: null on a page without any, undefined while the list is closed. */
export function useShownKeys(): Present | null | undefined {
  return useSyncExternalStore(subscribe, () => (shown ? present : undefined))
}
