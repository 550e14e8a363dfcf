import './words/words.css'

import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { encodersList } from '../../shared/api/lists'
import { type GridSearch, without, withoutSimilar } from '../../shared/routes/grid-search'
import { Form } from '../../shared/ui/form'
import { EncoderPicker } from './words/encoder-picker'
import { searchId } from './words/focus-search'

interface SearchFieldProps {
  /** Whose encoders may compare words. */
  project: string
  search: GridSearch
  onChange: (search: GridSearch) => void
}

type Kind = 'key' | 'meaning'

const placeholders: Record<Kind, string> = { key: 'Part of a key, Enter', meaning: 'Words, like a red car, Enter' }

/** The grid by a part of keys, or by likeness to words. Acts on Enter: every letter would be a count over the whole dataset. */
export function SearchField({ project, search, onChange }: SearchFieldProps) {
  const [kind, setKind] = useState<Kind>(search.words === undefined ? 'key' : 'meaning')
  const [text, setText] = useState(search.words ?? search.q ?? '')
  // An address says by what words are compared; a new search takes the newest encoder.
  const [picked, setPicked] = useState<string | null | undefined>(search.words === undefined ? undefined : (search.encoder ?? null))
  const newest = useInfiniteQuery({ ...encodersList(project), enabled: kind === 'meaning' }).data?.pages[0]?.results[0]
  const encoder = picked === undefined ? (newest?.name ?? null) : picked
  const like = (words: string, by: string | null) =>
    onChange({ ...withoutSimilar(without(search, 'q')), words, ...(by === null ? {} : { encoder: by }) })
  const send = () => {
    const typed = text.trim()
    if (kind === 'key') onChange(typed === '' ? without(search, 'q') : { ...without(search, 'words'), q: typed })
    else if (typed === '') onChange(without(search, 'words'))
    else like(typed, encoder)
  }
  return (
    <Form role="search" className="grid-search" onSend={send}>
      <select className="field" aria-label="Search by" value={kind} onChange={({ target }) => setKind(target.value as Kind)}>
        <option value="key">by key</option>
        <option value="meaning">by meaning</option>
      </select>
      {kind === 'meaning' && (newest !== undefined || encoder !== null) && (
        <EncoderPicker
          project={project}
          chosen={encoder}
          onChoose={(name) => {
            setPicked(name)
            if (search.words !== undefined) like(search.words, name)
          }}
        />
      )}
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
      {/* With two text fields Enter sends nothing without a button. */}
      <button type="submit" className="visually-hidden" tabIndex={-1}>
        Search
      </button>
    </Form>
  )
}
