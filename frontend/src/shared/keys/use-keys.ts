import { useEffect, useEffectEvent } from 'react'

import { isTaken } from './keyboard'

/** Listens on the window; the handler answers whether it used the key, and only then the browser's own action is stopped. */
export function useKeys(handle: (event: KeyboardEvent) => boolean): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!isTaken(event) && handle(event)) event.preventDefault()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
}
