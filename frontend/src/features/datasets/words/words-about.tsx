import './words.css'

import { Link } from '@tanstack/react-router'

import type { Embeddings } from '../../../shared/api/types'

/** By what words are compared, and what that can't find. */
export function WordsAbout({ found: { words, encoder } }: { found: Embeddings }) {
  if (words === null) return null
  return (
    <div className="words-about small">
      <span className="quiet">{encoder === null ? `Compared with ${words.by}` : `Compared by the encoder ${encoder}`}</span>
      <details>
        <summary>What this can and can&rsquo;t find</summary>
        <p>{words.about}</p>
        <p>
          An encoder of your own, such as CLIP, compares words with the images themselves: <Link to="/encoders">add one</Link>.
        </p>
      </details>
    </div>
  )
}
