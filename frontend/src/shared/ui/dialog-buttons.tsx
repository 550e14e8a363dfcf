import type { ReactNode } from 'react'

interface DialogButtonsProps {
  /** What sending the form does. */
  children: ReactNode
  pending: boolean
  /** In the button's place meanwhile: `Saving…` */
  doing: string
  /** The form cannot be sent as it stands. */
  blocked?: boolean
  onClose: () => void
}

/** The end of a dialog's form: send it, or close the dialog. */
export function DialogButtons({ children, pending, doing, blocked = false, onClose }: DialogButtonsProps) {
  return (
    <div className="row">
      <button type="submit" className="button primary" disabled={pending || blocked}>
        {pending ? doing : children}
      </button>
      <button type="button" className="button" onClick={onClose}>
        Cancel
      </button>
    </div>
  )
}
