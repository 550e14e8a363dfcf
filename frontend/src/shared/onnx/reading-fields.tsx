import { SelectField, TextField } from '../ui/fields'
import type { ReadingDraft } from './reading-draft'

interface ReadingFieldsProps {
  draft: ReadingDraft
  onChange: (draft: ReadingDraft) => void
  /** What holds where mean and deviation are empty. */
  otherwise: string
}

const layouts = [['nchw', 'channels, height, width (NCHW)'], ['nhwc', 'height, width, channels (NHWC)']] as const
const scales = [['255', '0 to 1'], ['1', '0 to 255']] as const

/** How a network reads images, where its file does not say. */
export function ReadingFields({ draft, onChange, otherwise }: ReadingFieldsProps) {
  const change = (part: Partial<ReadingDraft>) => onChange({ ...draft, ...part })
  return (
    <div className="stack">
      <div className="form-columns">
        <TextField
          name="metadata.input_size"
          label="Input size"
          hint="Channels, height, width, such as 3, 224, 224. Empty: as the file declares."
          value={draft.inputSize}
          onChange={(inputSize) => change({ inputSize })}
        />
        <SelectField name="metadata.layout" label="Axes" value={draft.layout} onChange={(layout) => change({ layout })} options={layouts} />
        <SelectField name="metadata.scale" label="Pixel values" hint="Before mean and deviation." value={draft.scale} onChange={(scale) => change({ scale })} options={scales} />
      </div>
      <div className="form-columns">
        <TextField name="metadata.mean" label="Mean" hint={`Of each channel, such as 0.485, 0.456, 0.406. Empty: ${otherwise}.`} value={draft.mean} onChange={(mean) => change({ mean })} />
        <TextField name="metadata.std" label="Standard deviation" hint={`Of each channel. Empty: ${otherwise}.`} value={draft.std} onChange={(std) => change({ std })} />
      </div>
    </div>
  )
}
