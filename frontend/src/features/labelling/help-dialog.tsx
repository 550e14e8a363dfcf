import { setSingleKeys, useKeyMap } from '../../shared/keys/key-store'
import { strokeWords } from '../../shared/keys/keyboard'
import { factsOf, type KeyMap, type Scope, type SingleKeys, strokesFor } from '../../shared/keys/keymap'
import { Dialog } from '../../shared/ui/dialog'

const choices: [SingleKeys, string][] = [
  ['all', 'Letters and digits act'],
  ['digits', 'Only digits act'],
  ['none', 'Neither acts (Enter, ⌫, arrows and keys with Ctrl still do)'],
]

interface HelpDialogProps {
  open: boolean
  onClose: () => void
  scope: Scope
}

/** The keys of the present workspace as this person has them. */
export function HelpDialog({ open, onClose, scope }: HelpDialogProps) {
  const map = useKeyMap()
  return (
    <Dialog open={open} onClose={onClose} title="Keys" wide>
      <dl className="key-map">
        <KeyRow names={['1–9', '0', '⇧1–0']} words="The class with that key" />
        {rows(scope, map)}
        {rows('global', map)}
      </dl>
      <SingleKeysChoice single={map.single} />
    </Dialog>
  )
}

function rows(scope: Scope, map: KeyMap) {
  return Object.entries(factsOf(scope)).map(([action, { words }]) => (
    <KeyRow key={`${scope}.${action}`} names={strokesFor(scope, action, map).map(strokeWords)} words={words} />
  ))
}

function KeyRow({ names, words }: { names: string[]; words: string }) {
  return (
    <div className="row">
      <dt className="row">
        {names.map((name) => (
          <kbd key={name}>{name}</kbd>
        ))}
        {names.length === 0 && <span className="quiet">none</span>}
      </dt>
      <dd>{words}</dd>
    </div>
  )
}

export function SingleKeysChoice({ single }: { single: SingleKeys }) {
  return (
    <fieldset className="single-keys">
      <legend>Single keys</legend>
      {choices.map(([choice, words]) => (
        <label key={choice} className="row">
          <input type="radio" name="single-keys" checked={single === choice} onChange={() => setSingleKeys(choice)} />
          {words}
        </label>
      ))}
    </fieldset>
  )
}
