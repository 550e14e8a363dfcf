import './form.css'

import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react'

import { explain, faultOf } from '../api/errors'
import { LeaveGuard } from './leave-guard'

/** What is wrong, by the field's name. */
export type Faults = Readonly<Partial<Record<string, string | null>>>

interface FormState {
  /** Why the server refused what was sent. */
  error: unknown
  /** What the form itself finds wrong with what is typed. */
  faults: Faults
  /** The fields that show their own faults. */
  placed: readonly string[]
  /** Takes a field among those; the answer takes it out again. */
  place: (name: string) => () => void
  /** Takes the fault that a field finds and shows itself; the answer takes it out again. */
  stop: () => () => void
  /** Why it can't be sent, where that is the fault of no field. */
  refusal: string | null
  /** Somebody tried to send it as it stands: fields that lack something say so. */
  tried: boolean
}

const noForm: FormState = { error: null, faults: {}, placed: [], place: () => () => undefined, stop: () => () => undefined, refusal: null, tried: false }
const FormContext = createContext(noForm)

/** While a field shows a fault that it found itself, the form around it is not sent. */
export function useOwnFault(fault: string | null): void {
  const { stop } = use(FormContext)
  const isFaulty = fault !== null
  useEffect(() => (isFaulty ? stop() : undefined), [isFaulty, stop])
}

const missing = 'Fill this in.'

/** What a field that must not be empty says once the form around it was tried; until it is filled, the form is not sent. */
export function useMissing(required: boolean | undefined, value: string): string | null {
  const { tried } = use(FormContext)
  const isMissing = required === true && value.trim() === ''
  useOwnFault(isMissing ? missing : null)
  return isMissing && tried ? missing : null
}

/** What is wrong with a field of the form around it, which leaves it to the field to show this. */
export function useFault(name: string | undefined): string | null {
  const { error, faults, placed, place } = use(FormContext)
  useEffect(() => (name === undefined ? undefined : place(name)), [name, place])
  return name === undefined ? null : (faults[name] ?? faultOf(error, name, placed))
}

interface Sending {
  error: unknown
  isPending: boolean
}

type SendProps = { sending: Sending & { mutate: () => void }; onSend?: never } | { sending?: Sending; onSend: () => void }

export type FormProps = SendProps & {
  /** On the button that sends it; a form without one has its own. */
  action?: ReactNode
  /** In the button's place while it is sent: `Saving…` */
  doing?: string
  /** Why it can't be sent as it stands, in a sentence, where that is the fault of no field; said once somebody tries. */
  refusal?: string | null
  /** Next to the button. */
  beside?: ReactNode
  /** While one is there, the form is not sent. */
  faults?: Faults
  /** How many changes would be lost: it asks before the page is left. */
  unsaved?: number
  className?: string
  'aria-label'?: string
  role?: 'search'
  children?: ReactNode
}

const idle: Sending = { error: null, isPending: false }
const noFaults: Faults = {}

/**
 * Sends what is typed. The button can be pressed whatever is typed: a form that can't be sent, or that the server refuses, leads
 * to the first field at fault, and what belongs to no field stands above the button.
 */
export function Form({ sending = idle, onSend, action, doing, refusal = null, beside, faults = noFaults, unsaved, className = 'stack', children, ...rest }: FormProps) {
  const form = useRef<HTMLFormElement>(null)
  const [placed, setPlaced] = useState<readonly string[]>([])
  const place = useCallback((name: string) => {
    setPlaced((before) => [...before, name])
    return () => setPlaced((before) => before.filter((other) => other !== name))
  }, [])
  const own = useRef(0)
  const stop = useCallback(() => {
    own.current += 1
    return () => {
      own.current -= 1
    }
  }, [])
  // What the server said is past once the form has stopped at a fault of its own.
  const [stopped, setStopped] = useState<{ past: unknown } | null>(null)
  const error = stopped?.past === sending.error ? null : sending.error
  const tried = stopped !== null
  const state = useMemo(() => ({ error, faults, placed, place, stop, refusal, tried }), [error, faults, placed, place, stop, refusal, tried])
  useEffect(() => {
    if (form.current && (error !== null || stopped !== null)) leadToFault(form.current)
  }, [error, stopped])
  const send = onSend ?? (sending as { mutate: () => void }).mutate
  return (
    <FormContext value={state}>
      <form
        ref={form}
        className={className}
        {...rest}
        // The browser's own bubbles would be another way to refuse, and are gone after a moment.
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          // A dialog may stand within another form.
          event.stopPropagation()
          if (refusal !== null || own.current > 0 || Object.values(faults).some((fault) => typeof fault === 'string')) setStopped({ past: sending.error })
          else send()
        }}
      >
        {children}
        {(action !== undefined || beside !== undefined) && (
          <div className="form-actions">
            <FormFault />
            <div className="row">
              {action !== undefined && (
                <button type="submit" className="button primary" disabled={sending.isPending}>
                  {sending.isPending ? doing : action}
                </button>
              )}
              {beside}
            </div>
          </div>
        )}
        {unsaved !== undefined && <LeaveGuard unsaved={unsaved} />}
      </form>
    </FormContext>
  )
}

/** Why a form is not sent, where that belongs to none of its fields: what it says itself once it is tried, else what the server said. */
export function FormFault() {
  const { error, placed, refusal, tried } = use(FormContext)
  if (tried && refusal !== null) return <Fault>{refusal}</Fault>
  return <Fault>{error === null ? null : explain(error, placed)}</Fault>
}

/** What is wrong with a group of fields of a form, which is one field for the server. */
export function GroupFault({ name }: { name: string }) {
  return <Fault>{useFault(name)}</Fault>
}

/** What is wrong, if something is. */
export function Fault({ children }: { children: ReactNode }) {
  return children === null || children === '' ? null : (
    <p className="form-fault" role="alert">
      {children}
    </p>
  )
}

/** Opens what hides a fault and focuses the first field at fault; where no field can have the focus, the fault is scrolled to. */
function leadToFault(form: HTMLElement): void {
  const faults = form.querySelectorAll<HTMLElement>('[aria-invalid="true"], .form-fault')
  for (const fault of faults) {
    for (let fold = fault.closest('details'); fold; fold = fold.parentElement?.closest('details') ?? null) fold.open = true
  }
  const [first] = faults
  if (!first) return
  const field = first.matches('.form-fault') ? first.closest('fieldset')?.querySelector<HTMLElement>('input, select, textarea') : first
  field?.focus({ preventScroll: true })
  first.scrollIntoView({ block: field ? 'center' : 'nearest' })
}
