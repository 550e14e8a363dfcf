import { useKeyMap } from './key-store'
import { strokeWords } from './keyboard'
import { type ActionOf, type Scope, strokesFor } from './keymap'

/** The first key of an action as this person has it; nothing where it has none. */
export function KeyCap<S extends Scope>({ scope, action }: { scope: S; action: ActionOf<S> }) {
  const stroke = strokesFor(scope, action, useKeyMap())[0]
  return stroke === undefined ? null : <kbd>{strokeWords(stroke)}</kbd>
}
