import './picker.css'

import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'

import { explain } from '../api/errors'
import { type ListQuery, readingOf } from '../lists/pages'
import { useSettled } from '../live/use-settled'
import { type Choice, nextOf, withWords, wordsOf } from './choices'
import { usePlace } from './use-place'

const settles = 200
/** With fewer that fit, the next page is read without being asked for. */
const enough = 10

export interface PickerProps<Row> {
  /** The list of the server that has these words. */
  source: (q: string) => ListQuery<Row>
  /** What a row lets one choose; nothing where it does not fit here. */
  choices: (row: Row) => readonly Choice<Row>[]
  /** What may be chosen besides, on top. */
  first?: readonly Choice<Row>[]
  value: string
  /** What is read of the value where the rows that were read do not tell. */
  shown?: string
  onChange: (value: string, row: Row | undefined) => void
  /** Says what is chosen, where no label stands beside it. */
  'aria-label'?: string
  /** What is typed counts as it is, also where the list does not have it. */
  free?: boolean
  placeholder?: string
  required?: boolean
  disabled?: boolean
  className?: string
  joined?: { id?: string; 'aria-describedby'?: string | undefined; 'aria-invalid'?: boolean }
}

interface Offered<Row> {
  all: readonly Choice<Row>[]
  /** Typed words are being looked for. */
  searching: boolean
  error: unknown
  more: (() => void) | null
}

/** What fits the words typed, of the whole list: the server searches it, page by page. */
function useOffered<Row>({ source, choices, first = [] }: PickerProps<Row>, typed: string, open: boolean): Offered<Row> {
  const q = useSettled(typed.trim(), settles)
  const reading = readingOf<Row>(useInfiniteQuery({ ...source(q), enabled: open }))
  const found = reading.rows?.flatMap(choices) ?? []
  const more = reading.more && !reading.more.busy && !reading.more.failed ? reading.more.read : null
  const lacks = open && found.length < enough
  useEffect(() => {
    if (lacks) more?.()
  }, [lacks, more])
  const searching = open && reading.error === null && (reading.rows === undefined || reading.isEarlier || q !== typed.trim())
  return { all: [...withWords(first, typed), ...found], searching, error: reading.error, more }
}

/** One of a list of any length: the field shows what is chosen, and searches the list while somebody types in it. */
export function Picker<Row>(props: PickerProps<Row>) {
  const { value, shown, first = [], onChange, free = false, placeholder, required, disabled, className = '', joined } = props
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState<string | null>(null)
  const [active, setActive] = useState(-1)
  const [last, setLast] = useState<Choice<Row> | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const id = useId()
  const offered = useOffered(props, typed ?? '', open)
  usePlace(open, field, list)
  const chosen = [...first, ...offered.all].find((choice) => choice.value === value) ?? (last?.value === value ? last : undefined)
  const at = !free && active === -1 && typed !== null && typed !== '' ? nextOf(offered.all, -1, 1) : Math.min(active, offered.all.length - 1)
  const close = () => {
    setOpen(false)
    setTyped(null)
    setActive(-1)
  }
  const take = (choice: Choice<Row> | undefined) => {
    if (!choice || choice.refusal != null) return
    setLast(choice)
    close()
    if (choice.value !== value) onChange(choice.value, choice.row)
  }
  const begin = () => {
    setOpen(true)
    field.current?.select()
  }
  const leave = () => {
    // Somebody who typed the whole name means it.
    take(typed === null || free ? undefined : offered.all.find((choice) => wordsOf(choice) === typed.trim()))
    close()
  }
  const move = (step: 1 | -1) => {
    const next = nextOf(offered.all, at, step)
    if (step === 1 && next < at) offered.more?.()
    setActive(next)
    document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (open) move(event.key === 'ArrowDown' ? 1 : -1)
      else begin()
    } else if (event.key === 'Enter' && open && !(free && at === -1)) take(offered.all[at])
    else if (event.key === 'Escape' && open) close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <span className={`picker ${className}`}>
      <input
        {...joined}
        ref={field}
        className="field"
        type="text"
        role="combobox"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-label={props['aria-label']}
        aria-autocomplete="list"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-activedescendant={open && at >= 0 ? `${id}-${at}` : undefined}
        placeholder={placeholder}
        required={required}
        disabled={disabled}
        value={typed ?? (chosen ? wordsOf(chosen) : (shown ?? value))}
        onChange={({ target }) => {
          setTyped(target.value)
          if (free) onChange(target.value, undefined)
          setActive(-1)
          setOpen(true)
        }}
        onClick={() => !open && begin()}
        onBlur={leave}
        onKeyDown={onKeyDown}
      />
      <ChevronDown size={14} aria-hidden />
      {open && (
        <div
          ref={list}
          className="picker-list"
          role="presentation"
          popover="manual"
          // The pointer must not take the focus from the field before the click arrives.
          onMouseDown={(event) => event.preventDefault()}
          // In a label, a click on a choice would click the field as well, and open the list again.
          onClick={(event) => event.preventDefault()}
          onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => scrollTop + clientHeight > scrollHeight - 80 && offered.more?.()}
        >
          <div id={id} role="listbox" aria-label="Choices" tabIndex={-1}>
            {offered.all.map((choice, place) => (
              // The field above takes the keys, and the focus stays in it.
              // eslint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
              <div
                key={choice.value}
                id={`${id}-${place}`}
                role="option"
                className={place === at ? 'active' : undefined}
                aria-selected={choice.value === value}
                aria-disabled={choice.refusal != null || undefined}
                onClick={() => take(choice)}
              >
                {wordsOf(choice)}
                {choice.refusal != null && ` (${choice.refusal})`}
              </div>
            ))}
          </div>
          <Said offered={offered} typed={typed ?? ''} />
        </div>
      )}
    </span>
  )
}

/** What stands below the choices, or in place of them. */
function Said<Row>({ offered: { all, searching, error, more }, typed }: { offered: Offered<Row>; typed: string }) {
  if (error !== null) return <p role="alert">{explain(error)}</p>
  if (searching || (all.length === 0 && more)) return <p className="quiet">Searching…</p>
  if (all.length === 0) return <p className="quiet">{typed === '' ? 'There is nothing to choose yet.' : `Nothing fits “${typed}”.`}</p>
  return more ? <p className="quiet small">Scroll or type for more.</p> : null
}
