import { useEffect, useEffectEvent } from 'react'

import { useKeyMap } from './key-store'
import { isTaken } from './keyboard'
import { actionFor, type ActionOf, placeFor, repeats, type Scope } from './keymap'

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

export interface ActionHandler<S extends Scope> {
  /** Answers whether the action meant something here. */
  act: (action: ActionOf<S> | ActionOf<'global'>, event: KeyboardEvent) => boolean
  /** A digit key: the place (0..19) of its class. */
  choose: (place: number) => boolean
}

/**
 * The keys of one scope, as the person set them. A held key acts once, unless its action repeats; Enter and Space press the
 * control that has the focus.
 */
export function useActions<S extends Scope>(scope: S, { act, choose }: ActionHandler<S>): void {
  const map = useKeyMap()
  useKeys((event) => {
    if (pressesControl(event)) return false
    const place = placeFor(event, map)
    if (place !== null) return event.repeat || choose(place)
    const action = actionFor(event, scope, map)
    if (action === null) return false
    return (event.repeat && !repeats(scope, action)) || act(action, event)
  })
}

function pressesControl(event: KeyboardEvent): boolean {
  const plain = !event.ctrlKey && !event.metaKey && (event.key === 'Enter' || event.key === ' ')
  return plain && event.target instanceof HTMLElement && event.target.closest('button, a, summary') !== null
}
