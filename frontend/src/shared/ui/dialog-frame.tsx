import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { KeyboardEvent, ReactNode } from 'react'

import { BackCloses } from './back-closes'

export interface DialogProps {
  onClose: () => void
  title: string
  drawer?: boolean
  /** Room for two pictures side by side. */
  wide?: boolean
  /** It opens while somebody types elsewhere: no control has the focus until they choose one. */
  unasked?: boolean
  /** Only its own button closes it: neither Escape nor a click outside, for what it shows is shown once. */
  stays?: boolean
  /** Keys from any control of the dialog. */
  onKeyDown?: (event: KeyboardEvent) => void
  children: ReactNode
}

/** Keys that were meant for the page reach no control of the dialog. */
function focusNone(event: Event): void {
  event.preventDefault()
  if (event.target instanceof HTMLElement) event.target.focus()
}

/** Where there is something to fill in, that has the focus at once; else the first control has it. */
function focusField(event: Event): void {
  const field = event.target instanceof HTMLElement ? event.target.querySelector<HTMLElement>('input:not([type="radio"]), select, textarea') : null
  if (!field) return
  event.preventDefault()
  field.focus()
}

/** Escape closes the choices of a field that shows some, and not the dialog around it. */
function leaveChoices(event: globalThis.KeyboardEvent): void {
  if (event.target instanceof HTMLElement && event.target.matches('[role="combobox"][aria-expanded="true"]')) event.preventDefault()
}

/** The keyboard goes on where it was, unless something else has taken the focus already. */
function focusBack(before: Element | null) {
  return (event: Event): void => {
    event.preventDefault()
    if (before instanceof HTMLElement && document.activeElement === document.body) before.focus()
  }
}

interface DialogFrameProps extends DialogProps {
  /** What had the focus when the dialog was asked for. */
  before: Element | null
}

/** A dialog as Radix makes it. */
export function DialogFrame({ before, onClose, title, drawer = false, wide = false, unasked = false, stays = false, onKeyDown, children }: DialogFrameProps) {
  return (
    <Radix.Root open onOpenChange={(wanted) => !wanted && !stays && onClose()}>
      <Radix.Portal>
        {drawer && <BackCloses onClose={onClose} />}
        <Radix.Overlay className="veil" />
        <Radix.Content className={`dialog ${drawer ? 'drawer' : ''} ${wide ? 'wide' : ''}`} aria-describedby={undefined} onOpenAutoFocus={unasked ? focusNone : focusField} onCloseAutoFocus={focusBack(before)} onEscapeKeyDown={leaveChoices} {...(onKeyDown ? { onKeyDown } : {})}>
          <div className="row" style={{ marginBottom: 16 }}>
            <Radix.Title className="grow cut">{title}</Radix.Title>
            {!stays && (
              <Radix.Close className="button plain icon" aria-label="Close">
                <X size={16} aria-hidden />
              </Radix.Close>
            )}
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
