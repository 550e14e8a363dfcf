import { KeyCap } from '../../../shared/keys/key-cap'
import type { ActionOf, Scope } from '../../../shared/keys/keymap'
import { backToDrawing } from './toolbar'

interface ActButtonProps<S extends Scope> {
  scope: S
  action: ActionOf<S>
  words: string
  className?: string
  onAct: (action: ActionOf<S>) => void
}

/** What a key does, for whoever has none at hand; the keys stay with the drawing. */
export function ActButton<S extends Scope>({ scope, action, words, className = 'little', onAct }: ActButtonProps<S>) {
  return (
    <button
      type="button"
      className={`button ${className}`}
      onClick={(event) => {
        onAct(action)
        backToDrawing(event)
      }}
    >
      {words} <KeyCap scope={scope} action={action} />
    </button>
  )
}
