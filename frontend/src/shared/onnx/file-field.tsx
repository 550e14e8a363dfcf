import { type ComponentProps, useState } from 'react'

import { Field, type FieldProps } from '../ui/fields'
import { useMissing } from '../ui/form'

type FileProps = Omit<FieldProps, 'fault' | 'children'> & Pick<ComponentProps<'input'>, 'accept' | 'required'> & { onChange: (file: File | null) => void }

/** One file off the disk. */
export function FileField({ label, name, hint, onChange, ...rest }: FileProps) {
  const [chosen, setChosen] = useState('')
  const missing = useMissing(rest.required, chosen)
  const choose = (file: File | null) => {
    setChosen(file?.name ?? '')
    onChange(file)
  }
  return (
    <Field label={label} name={name} hint={hint} fault={missing}>
      {(joined) => <input type="file" {...joined} {...rest} className="field" onChange={({ target }) => choose(target.files?.[0] ?? null)} />}
    </Field>
  )
}
