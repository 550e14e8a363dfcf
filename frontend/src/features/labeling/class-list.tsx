import { memo, type ReactNode, type RefObject, useState } from 'react'

import type { ClassesSuggestion, ClassSuggestion, LabelClass } from '../../shared/api/types'
import { percent } from '../../shared/format/numbers'
import { MarkSwatch } from '../../shared/ui/swatch'
import type { ClassKeys } from './class-keys'

/** So many classes are found by their names sooner than by looking through them. */
const searchFrom = 10

interface ClassListProps {
  classes: readonly LabelClass[]
  keys: ClassKeys
  suggestion: ClassSuggestion | ClassesSuggestion | null
  /** The classes that the suggestion names. */
  suggested: readonly string[]
  /** What is chosen; null when nothing is said yet. */
  ticked: readonly string[] | null
  onChoose: (name: string) => void
  search: RefObject<HTMLInputElement | null>
  /** The key that leads to the search. */
  searchCap?: ReactNode
}

export function ClassList({ classes, keys, suggestion, suggested, ticked, onChoose, search, searchCap }: ClassListProps) {
  const [wanted, setWanted] = useState('')
  const found = matching(classes, wanted)
  const first = found[0]
  const leave = () => {
    setWanted('')
    search.current?.blur()
  }
  return (
    <section aria-label="Classes" className="stack">
      {classes.length >= searchFrom && (
        <div className="row">
          <input
            ref={search}
            className="field grow"
            aria-label="Find a class"
            placeholder="Find a class"
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' && event.key !== 'Escape') return
              event.preventDefault()
              if (event.key === 'Enter' && first && wanted !== '') onChoose(first.name)
              leave()
            }}
          />
          <span className="keys-only">{searchCap}</span>
        </div>
      )}
      <ul className="classes">
        {found.map((each, place) => (
          <ClassRow
            key={each.name}
            label={each}
            keyName={keys.label(each.name)}
            first={wanted !== '' && place === 0}
            suggested={ticked === null && suggested.includes(each.name)}
            model={suggested.includes(each.name)}
            share={suggestion ? (suggestion.probabilities[each.name] ?? 0) : null}
            pressed={ticked === null ? null : ticked.includes(each.name)}
            onChoose={onChoose}
          />
        ))}
      </ul>
      {found.length === 0 && <p className="quiet">No class has “{wanted}” in its name.</p>}
    </section>
  )
}

/** Classes whose name has the letters in it, those that begin with them first. */
function matching(classes: readonly LabelClass[], wanted: string): readonly LabelClass[] {
  const letters = wanted.trim().toLowerCase()
  if (letters === '') return classes
  const place = ({ name }: LabelClass) => name.toLowerCase().indexOf(letters)
  return classes.filter((each) => place(each) >= 0).sort((a, b) => Number(place(a) > 0) - Number(place(b) > 0))
}

interface ClassRowProps {
  label: LabelClass
  keyName: string | null
  /** The one that Enter takes out of the search. */
  first: boolean
  suggested: boolean
  model: boolean
  share: number | null
  pressed: boolean | null
  onChoose: (name: string) => void
}

const ClassRow = memo(function ClassRow({ label, keyName, first, suggested, model, share, pressed, onChoose }: ClassRowProps) {
  return (
    <li>
      <button
        type="button"
        className={`class ${suggested ? 'suggested' : ''} ${first ? 'first' : ''}`}
        aria-pressed={pressed ?? undefined}
        onClick={() => onChoose(label.name)}
      >
        <kbd>{keyName ?? '·'}</kbd>
        <MarkSwatch colour={label.colour} pattern={label.dash} />
        <span className="cut" title={label.name}>
          {label.name}
        </span>
        <span className="grow" />
        {model && <span className="class-model">model</span>}
        {share !== null && <span className="class-share">{percent(share, 0)}</span>}
      </button>
    </li>
  )
})
