import '../../shared/ui/form.css'
import './keys-page.css'

import { type KeyboardEvent, useState } from 'react'

import { setKeyMap, useKeyMap } from '../../shared/keys/key-store'
import { strokeName, strokeWords } from '../../shared/keys/keyboard'
import { wordsFor } from '../../shared/keys/key-words'
import { actions, factsOf, isReserved, type KeyMap, ownerOf, plainKeyMap, rebound, type Scope, strokesFor } from '../../shared/keys/keymap'
import { SingleKeysChoice } from '../../shared/keys/single-keys-choice'
import { RefusableButton } from '../../shared/ui/refusable-button'

const scopes: [Scope, string][] = [
  ['items', 'Items of a dataset'],
  ['map', 'Map of a dataset'],
  ['classify', 'Classify'],
  ['grid', 'Grid'],
  ['canvas', 'Boxes and polygons'],
  ['verify', 'Verify boxes and polygons'],
  ['review', 'Review'],
  ['global', 'Every page'],
  ['goto', 'Go to a page'],
]

/** The one key map, for each person to change. */
export function KeysPage() {
  const map = useKeyMap()
  const changed = Object.keys(map.strokes).length
  return (
    <div className="page">
      <header className="page-head">
        <h1>Keys</h1>
        <span className="quiet">These keys are yours, on every computer you sign in on. Digits choose classes, as the dataset’s label schema says.</span>
        <span className="grow" />
        <RefusableButton className="button" refusal={changed === 0 ? 'All keys are as they were at first.' : null} onClick={() => setKeyMap({ ...plainKeyMap, single: map.single })}>
          Reset all keys
        </RefusableButton>
      </header>
      <SingleKeysChoice />
      {scopes.map(([scope, words]) => (
        <ScopeTable key={scope} scope={scope} words={words} map={map} />
      ))}
    </div>
  )
}

function ScopeTable({ scope, words, map }: { scope: Scope; words: string; map: KeyMap }) {
  return (
    <section className="panel" aria-labelledby={`keys-${scope}`}>
      <div className="panel-head">
        <h2 id={`keys-${scope}`}>{words}</h2>
      </div>
      <div className="table-scroll">
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Does</th>
              <th scope="col">Keys</th>
              <th scope="col">
                <span className="visually-hidden">Change</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {Object.keys(actions[scope]).map((action) => (
              <ActionRow key={action} scope={scope} action={action} map={map} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

interface ActionRowProps {
  scope: Scope
  action: string
  map: KeyMap
}

function ActionRow({ scope, action, map }: ActionRowProps) {
  const [listening, setListening] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  const words = wordsFor(scope, action)
  const strokes = strokesFor(scope, action, map)
  const set = (next: readonly string[]) => setKeyMap(rebound(map, scope, action, next))
  const listen = (event: KeyboardEvent) => {
    const name = strokeName(event.nativeEvent)
    if (name === null || name === 'Tab' || name === 'Shift+Tab') return
    event.preventDefault()
    event.stopPropagation()
    if (name === 'Escape' && !['items', 'map', 'canvas', 'verify'].includes(scope)) setListening(false)
    else {
      const why = refusal(name, scope, action, map)
      setFault(why)
      if (why !== null) return
      set([...strokes, name])
      setListening(false)
    }
  }
  return (
    <tr>
      <th scope="row">{words}</th>
      <td>
        <span className="row wrap">
          {strokes.map((stroke) => (
            <button key={stroke} type="button" className="key-off" title="Remove this key" onClick={() => set(strokes.filter((each) => each !== stroke))}>
              <kbd>{strokeWords(stroke)}</kbd>
              <span className="visually-hidden">: remove from “{words}”</span>
            </button>
          ))}
          {strokes.length === 0 && <span className="quiet">no key</span>}
        </span>
        {fault !== null && (
          <p className="form-fault small" role="alert">
            {fault}
          </p>
        )}
      </td>
      <td className="number">
        <button
          type="button"
          className="button little"
          aria-label={listening ? `Press the key for “${words}”` : `Add a key to “${words}”`}
          onClick={() => setListening(!listening)}
          onBlur={() => {
            setListening(false)
            setFault(null)
          }}
          {...(listening ? { onKeyDown: listen } : {})}
        >
          {listening ? 'Press a key…' : 'Add a key'}
        </button>
        {map.strokes[`${scope}.${action}`] !== undefined && (
          <button type="button" className="button little" aria-label={`Reset “${words}”`} onClick={() => set(factsOf(scope)[action]?.strokes ?? [])}>
            Reset
          </button>
        )}
      </td>
    </tr>
  )
}

/** Why this key cannot be added; null when it can. */
function refusal(name: string, scope: Scope, action: string, map: KeyMap): string | null {
  if (isReserved(name)) return `${strokeWords(name)} chooses a class and cannot do anything else.`
  const owner = ownerOf(name, scope, action, map)
  if (owner === null) return null
  const words = wordsFor(owner.scope, owner.action)
  const where = owner.scope === scope ? '' : ` (${scopes.find(([each]) => each === owner.scope)?.[1] ?? owner.scope})`
  return `${strokeWords(name)} already means “${words}”${where}: remove it there first.`
}
