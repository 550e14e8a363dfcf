import './words.css'

import type { Encoder } from '../../../shared/api/types'

interface EncoderPickerProps {
  encoders: readonly Encoder[]
  /** The name of an encoder; null: ImageNet's names. */
  chosen: string | null
  onChoose: (encoder: string | null) => void
}

/** By what words are compared; nothing where there is no choice. */
export function EncoderPicker({ encoders, chosen, onChoose }: EncoderPickerProps) {
  const names = encoders.map(({ name }) => name)
  if (names.length === 0 && chosen === null) return null
  const others = chosen !== null && !names.includes(chosen) ? [chosen] : []
  return (
    <select className="field" aria-label="Compare words by" value={chosen ?? ''} onChange={({ target }) => onChoose(target.value === '' ? null : target.value)}>
      {[...others, ...names].map((name) => (
        <option key={name} value={name}>
          by {name}
        </option>
      ))}
      <option value="">by ImageNet’s names</option>
    </select>
  )
}
