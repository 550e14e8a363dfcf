import { KeyCap } from '../../shared/keys/key-cap'
import type { ActionOf, Scope } from '../../shared/keys/keymap'

export interface AnswerButton<S extends Scope> {
  action: ActionOf<S>
  words: string
  primary?: boolean
  title?: string
  disabled?: boolean
}

interface AnswerBarProps<S extends Scope> {
  scope: S
  buttons: AnswerButton<S>[]
  onAct: (action: ActionOf<S>) => void
}

/** What keys do, for the mouse: each button wears its key as this person has it. */
export function AnswerBar<S extends Scope>({ scope, buttons, onAct }: AnswerBarProps<S>) {
  return (
    <div className="row wrap answer-bar">
      {buttons.map(({ action, words, primary = false, title, disabled }) => (
        <button key={action} type="button" className={`button ${primary ? 'primary' : ''}`} title={title} disabled={disabled} onClick={() => onAct(action)}>
          {words} <KeyCap scope={scope} action={action} />
        </button>
      ))}
    </div>
  )
}
