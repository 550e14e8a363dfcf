import type { Queue } from '../api/types'
import { SelectField } from '../ui/fields'

export const modeWords: Record<Queue['mode'], string> = {
  label: 'Draw and correct',
  verify: 'Verify one by one',
}

interface ModeFieldProps {
  mode: Queue['mode']
  onChange: (mode: Queue['mode']) => void
}

/** Whether people draw, or are asked about one suggestion after the other. */
export function ModeField({ mode, onChange }: ModeFieldProps) {
  return (
    <SelectField name="mode" label="Mode" value={mode} onChange={onChange}>
      <option value="label">{modeWords.label}</option>
      <option value="verify">{modeWords.verify}</option>
    </SelectField>
  )
}
