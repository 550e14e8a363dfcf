import { type GridSearch, without } from '../../../shared/routes/grid-search'
import { slicesList } from '../../../shared/api/lists'
import { useList } from '../../../shared/lists/pages'
import { Picker } from '../../../shared/picking/picker'

interface SlicePickerProps {
  id: string
  search: GridSearch
  onChange: (search: GridSearch) => void
}

const everything = [{ value: '', words: 'all samples' }]

/** The saved filters, once there are any. */
export function SlicePicker({ id, search, onChange }: SlicePickerProps) {
  const { rows } = useList(slicesList(id))
  const { slice } = search
  if (!rows?.length && slice === undefined) return null
  return (
    <Picker
      className="slice-picker"
      aria-label="Slice"
      first={everything}
      source={(q) => slicesList(id, { q })}
      choices={({ name }) => [{ value: name }]}
      value={slice ?? ''}
      onChange={(name) => onChange(name === '' ? without(search, 'slice') : { ...search, slice: name })}
    />
  )
}
