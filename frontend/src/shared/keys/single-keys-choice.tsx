import { setSingleKeys, useKeyMap } from './key-store'
import type { SingleKeys } from './keymap'

const choices: [SingleKeys, string][] = [
  ['all', 'Letters and digits act'],
  ['digits', 'Only digits act'],
  ['none', 'Neither acts (Enter, ⌫, arrows and Ctrl keys still work)'],
]

/** The way out that WCAG 2.1.4 asks for, for who dictates or presses keys by accident. */
export function SingleKeysChoice() {
  const { single } = useKeyMap()
  return (
    <fieldset className="form-group form-lines">
      <legend>Single keys</legend>
      {choices.map(([choice, words]) => (
        <label key={choice} className="check">
          <input type="radio" name="single-keys" checked={single === choice} onChange={() => setSingleKeys(choice)} />
          {words}
        </label>
      ))}
      <p className="quiet small">Switch them off if you dictate, or press keys by accident.</p>
    </fieldset>
  )
}
