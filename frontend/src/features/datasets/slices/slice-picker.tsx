import { useQuery } from '@tanstack/react-query'

import { type GridSearch, without } from '../../../shared/routes/grid-search'
import { slicesQuery } from '../../../shared/api/slices'

interface SlicePickerProps {
  id: string
  search: GridSearch
  onChange: (search: GridSearch) => void
}

/** The saved filters, once there are any. */
export function SlicePicker({ id, search, onChange }: SlicePickerProps) {
  const slices = useQuery(slicesQuery(id)).data ?? []
  const { slice } = search
  if (slices.length === 0 && slice === undefined) return null
  return (
    <select
      className="field slice-picker"
      aria-label="Slice"
      value={slice ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? without(search, 'slice') : { ...search, slice: target.value })}
    >
      <option value="">all samples</option>
      {slice !== undefined && !slices.some(({ name }) => name === slice) && <option>{slice}</option>}
      {slices.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}
