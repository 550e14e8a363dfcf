import { useKeyMap } from '../../shared/keys/key-store'
import { strokeWords } from '../../shared/keys/keyboard'
import { type ActionOf, type Scope, strokesFor } from '../../shared/keys/keymap'

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
  const map = useKeyMap()
  return (
    <div className="row wrap">
      {buttons.map(({ action, words, primary = false, title, disabled }) => {
        const stroke = strokesFor(scope, action, map)[0]
        return (
          <button key={action} type="button" className={`button ${primary ? 'primary' : ''}`} title={title} disabled={disabled} onClick={() => onAct(action)}>
            {words} {stroke !== undefined && <kbd>{strokeWords(stroke)}</kbd>}
          </button>
        )
      })}
    </div>
  )
}
