import { Dialog } from './dialog'
import { Form, type FormProps } from './form'

type FormDialogProps = FormProps & {
  title: string
  wide?: boolean
  /** On the button that closes it without sending. */
  cancel?: string
  onClose: () => void
}

/** A form in a dialog. Whoever sends it closes it once the server has taken it. */
export function FormDialog({ title, wide = false, cancel = 'Cancel', onClose, beside, ...form }: FormDialogProps) {
  return (
    <Dialog onClose={onClose} title={title} wide={wide}>
      <Form
        {...form}
        beside={
          <>
            {beside}
            <button type="button" className="button" onClick={onClose}>
              {cancel}
            </button>
          </>
        }
      />
    </Dialog>
  )
}
