import { KeyCap } from '../../shared/keys/key-cap'
import type { ActionOf, Scope } from '../../shared/keys/keymap'
import { RefusableButton } from '../../shared/ui/refusable-button'

export interface AnswerButton<S extends Scope> {
  action: ActionOf<S>
  words: string
  primary?: boolean
  title?: string
  /** Why it can't be pressed now. */
  refusal?: string | null
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
      {buttons.map(({ action, words, primary = false, title, refusal = null }) => (
        <RefusableButton key={action} className={`button ${primary ? 'primary' : ''}`} title={title} refusal={refusal} onClick={() => onAct(action)}>
          {words} <KeyCap scope={scope} action={action} />
        </RefusableButton>
      ))}
    </div>
  )
}
