import { type KeyboardEvent, type MouseEvent, useEffect, useId, useRef, useState } from 'react'

import { classKeys, keyName } from '../classes/class-key'
import { ClassSwatch } from '../classes/class-mark'
import type { SchemaClass } from '../classes/types'
import { Field } from '../ui/fields'
import { ranked } from './ranked'

interface ClassPickerProps {
  classes: readonly SchemaClass[]
  /** The class that is chosen; null for none yet. */
  value: string | null
  onChange: (name: string | null) => void
}

/** The field keeps the focus, so that Enter confirms. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault()
}

/** A class by the first letters of its name: what is typed chooses, arrows move on. */
export function ClassPicker({ classes, value, onChange }: ClassPickerProps) {
  const [typed, setTyped] = useState('')
  const list = useRef<HTMLDivElement>(null)
  const listId = useId()
  const matches = ranked(classes, typed)
  const at = matches.findIndex(({ name }) => name === value)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [value])
  // Whoever types before the classes have come has chosen all the same.
  useEffect(() => {
    const [first] = typed.trim() === '' || value !== null ? [] : ranked(classes, typed)
    if (first) onChange(first.name)
  }, [classes, typed, value, onChange])
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Partial<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at <= 0 ? matches.length - 1 : at - 1 }
    const to = steps[event.key]
    if (to === undefined || matches.length === 0) return
    onChange(matches[to % matches.length]?.name ?? null)
    event.preventDefault()
  }
  return (
    <Field label="Class" name="label" hint="Type the first letters, or move with ↑ and ↓; Enter confirms.">
      {(joined) => (
        <>
          <input
            {...joined}
            className="field"
            role="combobox"
            aria-expanded
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={at < 0 ? undefined : `${listId}-${at}`}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value)
              onChange(target.value.trim() === '' ? null : (ranked(classes, target.value)[0]?.name ?? null))
            }}
            onKeyDown={onKeyDown}
          />
          <div ref={list} id={listId} role="listbox" aria-label="Classes" className="class-options">
            {matches.map(({ name, colour, dash, key }, place) => (
              // The keys of the field above serve its options.
              // eslint-disable-next-line jsx-a11y/click-events-have-key-events
              <div key={name} id={`${listId}-${place}`} role="option" tabIndex={-1} aria-selected={name === value} className="class-option" onMouseDown={keepFocus} onClick={() => onChange(name)}>
                <ClassSwatch colour={colour} dash={dash} />
                <span className="grow cut">{name}</span>
                {key !== null && classKeys.includes(key) && <kbd>{keyName(key)}</kbd>}
              </div>
            ))}
          </div>
          {matches.length === 0 && <p className="quiet small">No class has “{typed}” in its name.</p>}
        </>
      )}
    </Field>
  )
}
