import './words.css'

import { useQuery } from '@tanstack/react-query'

import type { Selection } from '../queries'
import { similarQuery } from '../similar/queries'
import type { SimilarTo } from '../similar/similar-to'

/** Says that no image is like the words, and the nearest words that the search knows. */
export function WordsUnknown({ selection, similar }: { selection: Selection; similar: SimilarTo }) {
  const { data } = useQuery(similarQuery(selection, similar, 0))
  const unknown = data?.words?.unknown
  if (!unknown) return null
  return (
    <p className="words-unknown small" role="status">
      {unknown.detail}
    </p>
  )
}
