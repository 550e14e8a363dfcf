import '../ui/form.css'
import './keys.css'

import type { ReactNode } from 'react'

import { Dialog } from '../ui/dialog'
import { useKeyMap } from './key-store'
import { strokeWords } from './keyboard'
import { wordsFor } from './key-words'
import { factsOf, type KeyMap, type Scope, strokesFor } from './keymap'
import type { DigitsMean } from './present'
import { SingleKeysChoice } from './single-keys-choice'

interface KeysDialogProps {
  /** The page's own keys; null where it has none. */
  scope: Scope | null
  digits: DigitsMean
  onClose: () => void
}

/** Every key that acts on the present page, as this person has it. */
export default function KeysDialog({ scope, digits, onClose }: KeysDialogProps) {
  const map = useKeyMap()
  return (
    <Dialog onClose={onClose} title="Keys" wide>
      <div className="keys-columns">
        {scope !== null && (
          <KeyList title="On this page">
            {digits.map(([keys, words]) => (
              <KeyRow key={words} strokes={keys.split('  ')} words={words} />
            ))}
            <Rows scope={scope} map={map} />
          </KeyList>
        )}
        <KeyList title="On every page">
          <Rows scope="global" map={map} />
          <Rows scope="goto" map={map} after={strokesFor('global', 'goTo', map).slice(0, 1)} />
        </KeyList>
      </div>
      <SingleKeysChoice />
    </Dialog>
  )
}

function KeyList({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl className="key-list">{children}</dl>
    </section>
  )
}

interface RowsProps {
  scope: Scope
  map: KeyMap
  /** The stroke that has to come before. */
  after?: readonly string[]
}

function Rows({ scope, map, after = [] }: RowsProps) {
  return Object.keys(factsOf(scope)).map((action) => {
    const strokes = strokesFor(scope, action, map)
    return <KeyRow key={action} strokes={(strokes.length > 0 ? [...after, ...strokes] : []).map(strokeWords)} words={wordsFor(scope, action)} />
  })
}

function KeyRow({ strokes, words }: { strokes: readonly string[]; words: string }) {
  return (
    <div>
      <dt>
        {strokes.map((stroke, place) => (
          <kbd key={place}>{stroke}</kbd>
        ))}
        {strokes.length === 0 && <span className="quiet">none</span>}
      </dt>
      <dd>{words}</dd>
    </div>
  )
}
