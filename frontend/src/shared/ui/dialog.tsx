import { createElement, useEffect, useState, useSyncExternalStore } from 'react'

import type { DialogProps } from './dialog-frame'

type Frame = typeof import('./dialog-frame').DialogFrame

let frame: Frame | null = null
const waiting = new Set<() => void>()

/** What dialogs are made of comes after the page, which needs none to begin with. */
export async function loadDialogs(): Promise<void> {
  frame ??= (await import('./dialog-frame')).DialogFrame
  for (const tell of waiting) tell()
}

function subscribe(tell: () => void): () => void {
  waiting.add(tell)
  return () => waiting.delete(tell)
}

export function Dialog(props: DialogProps) {
  const [before] = useState(() => document.activeElement)
  const [fault, setFault] = useState<Error | null>(null)
  // Not React's lazy: after a fallback it would hold what has come back for 300 ms.
  const Loaded = useSyncExternalStore(subscribe, () => frame)
  useEffect(() => {
    if (Loaded === null) loadDialogs().catch(setFault)
  }, [Loaded])
  if (fault !== null) throw fault
  // Meanwhile the keys are the dialog's already.
  return Loaded ? createElement(Loaded, { before, ...props }) : <span className="dialog-pending" hidden />
}
