import './form.css'

import { type ReactNode, useEffect, useId, useRef, useState } from 'react'

import { ApiProblem, explain } from '../api/errors'

/** What the server said of one field, or of what lies in it (`budget.labels`), if it said anything. */
export function faultOf(error: unknown, field: string): string | null {
  if (!(error instanceof ApiProblem)) return null
  const said = Object.entries(error.problem.errors ?? {}).flatMap(([name, texts]) => {
    if (name === field) return texts
    return name.startsWith(`${field}.`) ? texts.map((text) => `${placeWords(name.slice(field.length + 1))}: ${text}`) : []
  })
  return said.length === 0 ? null : said.map(sentence).join(' ')
}

/** The server's words follow a field's name (`must be at least 1`); on their own they are a sentence. */
function sentence(words: string): string {
  const begun = words.charAt(0).toUpperCase() + words.slice(1)
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`
}

/** The server counts what stands in a list from 0, people count it from 1. */
function placeWords(path: string): string {
  return path.replace(/^\d+/, (place) => `number ${Number(place) + 1}`)
}

/** Focuses the first field at fault of a form, opening what hides it; where no field can have the focus, the fault is scrolled to. */
function leadToFault(form: HTMLElement): void {
  const fault = form.querySelector<HTMLElement>('[aria-invalid="true"], .form-fault')
  if (!fault) return
  for (let fold = fault.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null) fold.open = true
  const group = fault.closest('fieldset')
  const field = fault.matches('.form-fault') ? group?.querySelector<HTMLElement>('input, select, textarea') : fault
  field?.focus({ preventScroll: true })
  fault.scrollIntoView({ block: field ? 'center' : 'nearest' })
}

interface FieldProps {
  label: string
  /** What to type, in a sentence. */
  hint?: string
  fault?: string | null
  /** Gets what joins the control to its label, hint and fault. */
  children: (joined: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ReactNode
}

/** A labelled control with its hint, and what is wrong with what it holds. */
export function Field({ label, hint, fault = null, children }: FieldProps) {
  const id = useId()
  const said = fault ?? hint
  return (
    <div className="form-field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': said === undefined ? undefined : `${id}-said`, 'aria-invalid': fault !== null })}
      {said !== undefined && (
        <p id={`${id}-said`} className={`small ${fault === null ? 'quiet' : 'form-fault'}`}>
          {said}
        </p>
      )}
    </div>
  )
}

const nothing = {}

/** What is wrong with a group of fields, or with all of a form. */
export function Fault({ text }: { text: string | null }) {
  return text === null ? null : (
    <p className="form-fault" role="alert">
      {text}
    </p>
  )
}

/** What the server said of a form; `refuse` forgets it, for the form found faults of its own before it was sent again. */
export function useRefusal(error: unknown): { said: unknown; found: object; refuse: () => void } {
  const [found, setFound] = useState<{ past?: unknown }>(nothing)
  return { said: found.past === error ? null : error, found, refuse: () => setFound({ past: error }) }
}

interface FormFaultProps {
  error: unknown
  fields: readonly string[]
  /** What the form itself found wrong when it was to be sent, by field. */
  found?: object
}

/** Stands beside a form's button: leads to the first field that was refused, and says what belongs to none of `fields`. */
export function FormFault({ error, fields, found = nothing }: FormFaultProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const form = place.current?.closest('form')
    if (form && (error !== null || Object.keys(found).length > 0)) leadToFault(form)
  }, [error, found])
  const text = unplaced(error, fields)
  return (
    <div ref={place} hidden={text === null}>
      <Fault text={text} />
    </div>
  )
}

/** What was said of none of the fields; null where every fault stands at its own. */
export function unplaced(error: unknown, fields: readonly string[]): string | null {
  if (error === null) return null
  if (fields.every((field) => faultOf(error, field) === null)) return explain(error)
  const errors = error instanceof ApiProblem ? Object.entries(error.problem.errors ?? {}) : []
  const others = errors.filter(([name]) => !fields.some((field) => name === field || name.startsWith(`${field}.`)))
  return others.length === 0 ? null : others.map(([name, texts]) => sentence(`${name}: ${texts.join(' ')}`)).join(' ')
}
