import './words/words.css'

import { useState } from 'react'

import { type GridSearch, without, withoutSimilar } from '../../shared/routes/grid-search'
import { Form } from '../../shared/ui/form'
import { searchId } from './words/focus-search'

interface SearchFieldProps {
  search: GridSearch
  onChange: (search: GridSearch) => void
}

type Kind = 'key' | 'meaning'

const placeholders: Record<Kind, string> = { key: 'Part of a key, Enter', meaning: 'Words, like a red car, Enter' }

/** The grid by a part of keys, or by likeness to words. Acts on Enter: every letter would be a count over the whole dataset. */
export function SearchField({ search, onChange }: SearchFieldProps) {
  const [kind, setKind] = useState<Kind>(search.words === undefined ? 'key' : 'meaning')
  const [text, setText] = useState(search.words ?? search.q ?? '')
  const send = () => {
    const typed = text.trim()
    if (kind === 'key') onChange(typed === '' ? without(search, 'q') : { ...without(search, 'words'), q: typed })
    else onChange(typed === '' ? without(search, 'words') : { ...withoutSimilar(without(search, 'q')), words: typed })
  }
  return (
    <Form role="search" className="grid-search" onSend={send}>
      <select className="field" aria-label="Search by" value={kind} onChange={({ target }) => setKind(target.value as Kind)}>
        <option value="key">by key</option>
        <option value="meaning">by meaning</option>
      </select>
      <input
        id={searchId}
        className="field"
        type="search"
        aria-label={`Search by ${kind}`}
        placeholder={placeholders[kind]}
        maxLength={1000}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </Form>
  )
}
