import { useState } from 'react'

import type { GridSearch } from '../../shared/routes/grid-search'
import { Form } from '../../shared/ui/form'

interface SearchFieldProps {
  search: GridSearch
  onChange: (search: GridSearch) => void
}

/** Acts on Enter: every letter would be a count over the whole dataset. */
export function SearchField({ search, onChange }: SearchFieldProps) {
  const { q, ...rest } = search
  const [text, setText] = useState(q ?? '')
  return (
    <Form role="search" className="" onSend={() => onChange(text.trim() === '' ? rest : { ...rest, q: text.trim() })}>
      <input
        className="field"
        type="search"
        aria-label="Search by key"
        placeholder="Search by key, Enter"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </Form>
  )
}
