import './words.css'

import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import { explain } from '../../../shared/api/errors'
import type { Dataset } from '../../../shared/api/types'
import { later } from '../../../shared/ui/later'
import { toast } from '../../../shared/ui/toast-store'
import type { Selection } from '../queries'
import { similarSamples } from '../similar/queries'
import type { SimilarTo } from '../similar/similar-to'

const SliceDialog = later(async () => (await import('../slices/slice-dialog')).default)
const mostInSlice = 1000

interface SaveFoundProps {
  dataset: Dataset
  selection: Selection
  similar: SimilarTo
  onSaved: (slice: string) => void
}

/** Keeps the first samples that a search found as a slice: these samples, whatever is added later. */
export function SaveFound({ dataset, selection, similar, onSaved }: SaveFoundProps) {
  const mayReview = useMay('review', dataset.project)
  const [first, setFirst] = useState('50')
  const [filter, setFilter] = useState<string | null>(null)
  const wanted = Math.min(Math.max(1, Math.floor(Number(first)) || 1), mostInSlice)
  const read = useMutation({
    mutationFn: () => similarSamples(selection, similar, 0, wanted),
    onSuccess: (found) => setFilter(`samples in (${found.map(({ id }) => id).join(', ')})`),
    onError: (error) => toast('bad', `The samples could not be read. ${explain(error)}`),
  })
  if (!mayReview) return null
  return (
    <form
      className="row small found-slice"
      onSubmit={(event) => {
        event.preventDefault()
        read.mutate()
      }}
    >
      <label className="row">
        <span className="quiet">The first</span>
        <input className="field" type="number" min={1} max={mostInSlice} value={first} onChange={({ target }) => setFirst(target.value)} />
      </label>
      <button type="submit" className="button little" disabled={read.isPending}>
        {read.isPending ? 'Reading…' : 'Save these as a slice…'}
      </button>
      {filter !== null && (
        <SliceDialog
          id={dataset.name}
          filter={filter}
          onClose={() => setFilter(null)}
          onSaved={(slice) => {
            setFilter(null)
            if (slice !== null) onSaved(slice)
          }}
        />
      )}
    </form>
  )
}
