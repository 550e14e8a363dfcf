import { useQuery } from '@tanstack/react-query'

import type { GridSearch } from '../../shared/routes/grid-search'
import { versionsQuery } from './queries'
import { versionWords } from './version-words'

interface VersionPickerProps {
  id: string
  search: GridSearch
  onChange: (search: GridSearch) => void
}

export function VersionPicker({ id, search, onChange }: VersionPickerProps) {
  const versions = useQuery(versionsQuery(id)).data ?? []
  const { v, ...filters } = search
  return (
    <select
      className="field"
      style={{ maxWidth: 280 }}
      aria-label="Version"
      value={v ?? 'head'}
      onChange={({ target }) => onChange(target.value === 'head' ? filters : { ...filters, v: Number(target.value) })}
    >
      <option value="head">newest version</option>
      {v !== undefined && !versions.some((each) => each.version === v) && <option value={v}>v{v}</option>}
      {versions.map((each) => (
        <option key={each.version} value={each.version}>
          {versionWords(each)}
        </option>
      ))}
    </select>
  )
}
