import './similar.css'

import { Images } from 'lucide-react'

import { useFindSimilar } from './use-find-similar'

interface SimilarButtonProps {
  dataset: string
  sampleKey: string
}

/** On a tile. The keyboard has its own key, so that tiles stay one stop of the tab key each. */
export function SimilarButton({ dataset, sampleKey }: SimilarButtonProps) {
  const find = useFindSimilar(dataset)
  return (
    <button
      type="button"
      className="button icon little tile-similar"
      tabIndex={-1}
      aria-label={`Similar to ${sampleKey}`}
      title="Find similar samples (S)"
      onClick={(event) => {
        event.stopPropagation()
        find(sampleKey)
      }}
    >
      <Images size={14} aria-hidden />
    </button>
  )
}
