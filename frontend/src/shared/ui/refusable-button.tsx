import type { ComponentProps } from 'react'

import { toast } from './toast-store'

interface RefusableButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'disabled'> {
  /** Why it can't be pressed now, in a sentence; null where it can. */
  refusal: string | null
}

/**
 * A button that says why it can't be pressed: it stays in the order of the Tab key, its reason is its description and its
 * tooltip, and pressing it shows the reason. A disabled button can't be reached by keys, drops the focus and says nothing.
 */
export function RefusableButton({ refusal, title, onClick, children, ...rest }: RefusableButtonProps) {
  return (
    <button {...rest} type="button" aria-disabled={refusal !== null || undefined} title={refusal ?? title} onClick={refusal === null ? onClick : () => toast('warn', refusal)}>
      {children}
    </button>
  )
}
