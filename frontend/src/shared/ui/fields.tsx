import { type ComponentProps, type ReactNode, useId } from 'react'

import { numberFault } from '../format/amount'
import { lengthFault } from '../format/text-length'
import { useFault, useMissing, useOwnFault } from './form'

export interface FieldProps {
  label: string
  /** The server's name for it: what is wrong with it then stands here. */
  name?: string | undefined
  /** What to type, in a sentence. */
  hint?: ReactNode
  /** What is wrong with it, where no form around it knows. */
  fault?: string | null
  /** Gets what joins the control to its label, hint and fault. */
  children: (joined: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ReactNode
}

/** A labelled control with its hint, and what is wrong with what it holds. */
export function Field({ label, name, hint, fault: own = null, children }: FieldProps) {
  const id = useId()
  const fault = useFault(name) ?? own
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

type Control<Tag extends 'input' | 'select' | 'textarea', Value extends string = string> = Omit<FieldProps, 'fault' | 'children'> &
  Omit<ComponentProps<Tag>, 'id' | 'name' | 'value' | 'onChange'> & { value: Value; onChange: (value: Value) => void }

/**
 * One for numbers (`inputMode`) takes nothing else: what is no number would be sent as if nothing were typed. What is longer
 * than `maxLength` is said to be; the browser's own bound would cut what is pasted, without a word.
 */
export function TextField({ label, name, hint, fault: own = null, className = '', maxLength, onChange, ...rest }: Control<'input'> & { fault?: string | null }) {
  const isNumber = rest.inputMode === 'decimal' || rest.inputMode === 'numeric'
  const fault = own ?? lengthFault(rest.value, maxLength) ?? (isNumber ? numberFault(rest.value) : null)
  useOwnFault(fault)
  const missing = useMissing(rest.required, rest.value)
  return (
    <Field label={label} name={name} hint={hint} fault={fault ?? missing}>
      {(joined) => <input {...joined} {...rest} className={`field ${className}`} onChange={({ target }) => onChange(target.value)} />}
    </Field>
  )
}

export function TextArea({ label, name, hint, className = '', maxLength, onChange, ...rest }: Control<'textarea'>) {
  const fault = lengthFault(rest.value, maxLength)
  useOwnFault(fault)
  const missing = useMissing(rest.required, rest.value)
  return (
    <Field label={label} name={name} hint={hint} fault={fault ?? missing}>
      {(joined) => <textarea {...joined} {...rest} className={`field ${className}`} onChange={({ target }) => onChange(target.value)} />}
    </Field>
  )
}

interface Choices {
  /** After those in `children`: values, or values and their words. */
  options?: readonly (string | readonly [value: string, words: string])[] | undefined
}

/** Its options hold nothing but a `Value`. */
export function SelectField<Value extends string>({ label, name, hint, onChange, options = [], children, ...rest }: Control<'select', Value> & Choices) {
  const missing = useMissing(rest.required, rest.value)
  return (
    <Field label={label} name={name} hint={hint} fault={missing}>
      {(joined) => (
        <select {...joined} {...rest} className="field" onChange={({ target }) => onChange(target.value as Value)}>
          {children}
          {options.map((option) => {
            const [value, words] = typeof option === 'string' ? [option, option] : option
            return (
              <option key={value} value={value}>
                {words}
              </option>
            )
          })}
        </select>
      )}
    </Field>
  )
}

interface CheckProps extends Omit<ComponentProps<'input'>, 'type' | 'onChange' | 'children'> {
  onChange: (checked: boolean) => void
  children: ReactNode
}

/** A box to tick, with its words behind it. */
export function Check({ onChange, children, ...rest }: CheckProps) {
  return (
    <label className="check">
      <input type="checkbox" {...rest} onChange={({ target }) => onChange(target.checked)} />
      <span>{children}</span>
    </label>
  )
}
