import './form.css'

import { type ReactNode, useId } from 'react'

import { ApiProblem, explain } from '../api/errors'

/** What the server said of one field, or of what lies in it (`budget.labels`), if it said anything. */
export function faultOf(error: unknown, field: string): string | null {
  if (!(error instanceof ApiProblem)) return null
  const said = Object.entries(error.problem.errors ?? {}).flatMap(([name, texts]) => {
    if (name === field) return texts
    return name.startsWith(`${field}.`) ? texts.map((text) => `${name.slice(field.length + 1)}: ${text}`) : []
  })
  return said.length === 0 ? null : said.join(' ')
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

/** What the server said that belongs to none of the form's `fields`. */
export function FormFault({ error, fields }: { error: unknown; fields: readonly string[] }) {
  if (error === null || fields.some((field) => faultOf(error, field) !== null)) return null
  return (
    <p className="form-fault" role="alert">
      {explain(error)}
    </p>
  )
}
