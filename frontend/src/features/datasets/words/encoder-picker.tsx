import './words.css'

import { encodersList } from '../../../shared/api/lists'
import { Picker } from '../../../shared/picking/picker'

interface EncoderPickerProps {
  /** Whose encoders they are. */
  project: string
  /** The name of an encoder; null: ImageNet's names. */
  chosen: string | null
  onChoose: (encoder: string | null) => void
}

const imagenet = [{ value: '', words: 'by ImageNet’s names' }]

/** By what words are compared. */
export function EncoderPicker({ project, chosen, onChoose }: EncoderPickerProps) {
  return (
    <Picker
      className="encoder-picker"
      aria-label="Compare words by"
      first={imagenet}
      source={(q) => encodersList(project, { q })}
      choices={({ name }) => [{ value: name, words: `by ${name}` }]}
      value={chosen ?? ''}
      shown={`by ${chosen}`}
      onChange={(name) => onChoose(name === '' ? null : name)}
    />
  )
}
