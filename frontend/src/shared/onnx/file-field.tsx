import type { ComponentProps } from 'react'

import { Field, type FieldProps } from '../ui/fields'

type FileProps = Omit<FieldProps, 'fault' | 'children'> & Pick<ComponentProps<'input'>, 'accept' | 'required'> & { onChange: (file: File | null) => void }

/** One file off the disk. */
export function FileField({ label, name, hint, onChange, ...rest }: FileProps) {
  return (
    <Field label={label} name={name} hint={hint}>
      {(joined) => <input type="file" {...joined} {...rest} className="field" onChange={({ target }) => onChange(target.files?.[0] ?? null)} />}
    </Field>
  )
}
