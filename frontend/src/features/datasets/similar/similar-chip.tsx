import './similar.css'

import { X } from 'lucide-react'

import { type GridSearch, partOf, withoutSimilar } from '../../../shared/routes/grid-search'

interface SimilarChipProps {
  search: GridSearch
  onChange: (search: GridSearch) => void
}

/** What the grid is ordered by, to be taken away. */
export function SimilarChip({ search, onChange }: SimilarChipProps) {
  if (search.similar === undefined && search.words === undefined) return null
  const words = search.similar === undefined ? `Like “${search.words}”, by ${search.encoder ?? 'ImageNet’s names'}` : `Similar to ${partOf(search.crop) ? 'a part of ' : ''}${search.similar}`
  return (
    <button type="button" className="button little similar-chip" onClick={() => onChange(withoutSimilar(search))}>
      <span className="cut" title={words}>
        {words}
      </span>
      <X size={12} aria-hidden />
      <span className="visually-hidden">: show all samples again</span>
    </button>
  )
}
