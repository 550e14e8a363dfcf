import { useEffect, useEffectEvent } from 'react'

import { useKeyMap } from './key-store'
import { isTaken } from './keyboard'
import { actionFor, type ActionOf, placeFor, repeats, type Scope } from './keymap'
import { type DigitsMean, usePresentKeys } from './present'

/** Listens on the window; the handler answers whether it used the key, and only then the browser's own action is stopped. */
export function useKeys(handle: (event: KeyboardEvent) => boolean, belongsElsewhere: (event: KeyboardEvent) => boolean = isTaken): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (!belongsElsewhere(event) && handle(event)) event.preventDefault()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listener)
    return () => window.removeEventListener('keydown', listener)
  }, [])
}

export interface ActionHandler<S extends Scope> {
  /** Answers whether the action meant something here. */
  act: (action: ActionOf<S>, event: KeyboardEvent) => boolean
  /** A digit key: the place (0..19) of its class. */
  choose: (place: number) => boolean
  /** What digits do here, for the list of keys; always the same object. */
  digits?: DigitsMean
}

const chooseClasses: DigitsMean = [['1–9  0  ⇧1–0', 'The class with that key']]

/**
 * The keys of a page's scope, as the person set them. A held key acts once, unless its action repeats; Enter and Space press the
 * control that has the focus.
 */
export function useActions<S extends Scope>(scope: S, { act, choose, digits = chooseClasses }: ActionHandler<S>): void {
  const map = useKeyMap()
  usePresentKeys(scope, digits)
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
