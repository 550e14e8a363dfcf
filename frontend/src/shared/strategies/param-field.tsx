import { SelectField, TextField } from '../ui/fields'
import { helpOf, type Param } from './params'

interface ParamFieldProps {
  /** The server's name of it. */
  name: string
  param: Param
  text: string
  onType: (text: string) => void
  /** What counts where nothing is typed, as text. */
  fallback?: string
  fault?: string | null
}

/** A field for a parameter of a strategy or a setting of a training, as its declaration says: a choice, a number, names, a text. */
export function ParamField({ name, param, text, onType, fallback = param.fallback, fault = null }: ParamFieldProps) {
  const field = { name, label: sentence(param.title), hint: helpOf(param), value: text, onChange: onType }
  const choices = param.kind === 'boolean' ? ['true', 'false'] : param.choices
  if (choices.length > 0) {
    return (
      <SelectField {...field} options={choices.map((choice) => [choice, readable(choice)] as const)}>
        <option value="">{fallback === '' ? 'default' : `${readable(fallback)} (default)`}</option>
      </SelectField>
    )
  }
  const mode = param.kind === 'integer' ? 'numeric' : param.kind === 'number' ? 'decimal' : undefined
  return <TextField {...field} fault={fault} placeholder={fallback} {...(mode ? { inputMode: mode } : {})} />
}

const sentence = (title: string) => title.charAt(0) + title.slice(1).toLowerCase()

function readable(choice: string): string {
  return { true: 'yes', false: 'no' }[choice] ?? choice.replaceAll('_', ' ')
}
