import './words.css'

import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import { explain } from '../../../shared/api/errors'
import type { Dataset } from '../../../shared/api/types'
import { wholeNumber } from '../../../shared/format/amount'
import { count } from '../../../shared/format/numbers'
import { Fault, Form } from '../../../shared/ui/form'
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
  const id = useId()
  const wanted = wholeNumber(first, 1, mostInSlice)
  const fault = wanted === null ? `Type a whole number from 1 to ${count(mostInSlice)}.` : null
  const read = useMutation({
    mutationFn: () => similarSamples(selection, similar, 0, wanted ?? 0),
    onSuccess: (found) => setFilter(`samples in (${found.map(({ id }) => id).join(', ')})`),
    onError: (error) => toast('bad', `The samples could not be read. ${explain(error)}`),
  })
  if (!mayReview) return null
  return (
    <Form className="row wrap small found-slice" sending={read} faults={{ first: fault }}>
      <label className="row">
        <span className="quiet">The first</span>
        <input className="field" inputMode="numeric" value={first} aria-invalid={fault !== null} aria-describedby={id} onChange={({ target }) => setFirst(target.value)} />
      </label>
      <button type="submit" className="button little" disabled={read.isPending}>
        {read.isPending ? 'Reading…' : 'Save these as a slice…'}
      </button>
      <span id={id}>
        <Fault>{fault ?? ''}</Fault>
      </span>
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
    </Form>
  )
}
