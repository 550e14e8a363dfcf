import './filter-input.css'

import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'

import { completionOf, type CompletionOption } from './completion'
import { vocabularyQuery } from './queries'

interface FilterInputProps {
  /** The dataset, by id or name. */
  dataset: string
  value: string
  onChange: (text: string) => void
  /** The character at fault, if one is: the cursor is put there. */
  position?: number | undefined
  placeholder?: string
  joined?: { id?: string; 'aria-describedby'?: string | undefined; 'aria-invalid'?: boolean; 'aria-label'?: string }
}

/** A line for a filter's text, which offers what may come next: arrows choose, Tab or Enter takes, Escape closes. Behind a whole filter it waits for an arrow: the list would hide what stands below. */
export function FilterInput({ dataset, value, onChange, position, placeholder, joined }: FilterInputProps) {
  const input = useRef<HTMLInputElement>(null)
  const list = useId()
  const vocabulary = useQuery({ ...vocabularyQuery(dataset), enabled: dataset !== '' }).data
  const [cursor, setCursor] = useState<number | null>(null)
  const [active, setActive] = useState(-1)
  const [asked, setAsked] = useState(false)
  const completion = vocabulary && cursor !== null ? completionOf(value.slice(0, cursor), vocabulary) : null
  const options = completion?.options ?? []
  const open = options.length > 0 && (asked || completion?.isWhole !== true)

  useEffect(() => {
    if (position === undefined) return
    input.current?.focus()
    input.current?.setSelectionRange(position, position)
  }, [position])

  const accept = (option: CompletionOption) => {
    if (!completion || cursor === null) return
    const head = `${value.slice(0, completion.from)}${option.text}${option.text === '(' ? '' : ' '}`
    onChange(head + value.slice(cursor).trimStart())
    setCursor(head.length)
    setActive(-1)
    setAsked(false)
    requestAnimationFrame(() => {
      input.current?.focus()
      input.current?.setSelectionRange(head.length, head.length)
    })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = options[active] ?? (event.key === 'Tab' ? options[0] : undefined)
    const opens = event.key === 'ArrowDown' && options.length > 0
    if (!open && !opens) return
    if (opens) {
      setAsked(true)
      setActive((active + 1) % options.length)
    }
    else if (event.key === 'ArrowUp') setActive(active <= 0 ? options.length - 1 : active - 1)
    else if ((event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey && value !== '' && (active >= 0 || !value.endsWith(' ')))) && chosen) accept(chosen)
    else if (event.key === 'Escape') setCursor(null)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <span className="filter-input">
      <input
        ref={input}
        className="field mono"
        type="text"
        role="combobox"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-autocomplete="list"
        aria-expanded={open}
        aria-controls={list}
        aria-activedescendant={active >= 0 ? `${list}-${active}` : undefined}
        placeholder={placeholder}
        value={value}
        {...joined}
        onChange={({ target }) => {
          onChange(target.value)
          setCursor(target.selectionStart)
          setActive(-1)
          setAsked(false)
        }}
        onClick={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
        onFocus={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
        onBlur={() => setCursor(null)}
        onKeyDown={onKeyDown}
      />
      <div id={list} className="filter-options" role="listbox" aria-label="What you can type here" hidden={!open}>
        {options.map((option, index) => (
          // The pointer must not take the focus from the line before the click arrives.
          // The line above takes the keys, and the focus stays in it.
          // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={option.text}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => accept(option)}
          >
            <span className="mono">{option.text}</span>
            <span className="quiet small cut">{option.words}</span>
          </div>
        ))}
      </div>
    </span>
  )
}
