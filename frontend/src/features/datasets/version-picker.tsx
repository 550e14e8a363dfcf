import { versionsList } from '../../shared/api/lists'
import { Picker } from '../../shared/picking/picker'
import type { GridSearch } from '../../shared/routes/grid-search'
import { versionChoice } from './version-words'

interface VersionPickerProps {
  id: string
  search: GridSearch
  onChange: (search: GridSearch) => void
}

const newest = [{ value: 'head', words: 'newest version' }]

export function VersionPicker({ id, search, onChange }: VersionPickerProps) {
  const { v, ...filters } = search
  return (
    <Picker
      className="version-picker"
      aria-label="Version"
      first={newest}
      source={(q) => versionsList(id, { q })}
      choices={versionChoice}
      value={String(v ?? 'head')}
      shown={`v${v}`}
      onChange={(version) => onChange(version === 'head' ? filters : { ...filters, v: Number(version) })}
    />
  )
}
