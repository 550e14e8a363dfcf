import { Field, type FieldProps } from '../ui/fields'
import { useMissing } from '../ui/form'
import { Picker, type PickerProps } from './picker'

export type PickFieldProps<Row> = Omit<FieldProps, 'children'> & Omit<PickerProps<Row>, 'joined' | 'aria-label'>

/** A labelled choice of one of a list of any length. */
export function PickField<Row>({ label, name, hint, fault = null, ...rest }: PickFieldProps<Row>) {
  const missing = useMissing(rest.required, rest.value)
  return (
    <Field label={label} name={name} hint={hint} fault={fault ?? missing}>
      {(joined) => <Picker {...rest} joined={joined} />}
    </Field>
  )
}
