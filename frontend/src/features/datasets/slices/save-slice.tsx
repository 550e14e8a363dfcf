import { useQuery } from '@tanstack/react-query'
import { Bookmark } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'

import type { GridSearch } from '../../../shared/routes/grid-search'
import { slicesQuery } from '../../../shared/api/slices'
import { clash, filterOf } from './slice-filter'

const SliceDialog = lazy(() => import('./slice-dialog'))

interface SaveSliceProps {
  id: string
  search: GridSearch
  onSaved: (slice: string) => void
}

/** Keeps what the grid shows under a name, for evaluation, mining and the next look. */
export function SaveSlice({ id, search, onSaved }: SaveSliceProps) {
  const [open, setOpen] = useState(false)
  const inside = useQuery(slicesQuery(id)).data?.find(({ name }) => name === search.slice)?.filter
  const doubled = clash(search, inside)
  return (
    <>
      <button
        type="button"
        className="button little"
        disabled={doubled !== null}
        title={doubled === null ? undefined : `The slice ${search.slice} has a condition on ${doubled} already: take one of the two away to save.`}
        onClick={() => setOpen(true)}
      >
        <Bookmark size={12} aria-hidden />
        Save as a slice…
      </button>
      <Suspense>
        {open && (
          <SliceDialog
            id={id}
            filter={filterOf(search, inside)}
            onClose={() => setOpen(false)}
            onSaved={(slice) => {
              setOpen(false)
              onSaved(slice)
            }}
          />
        )}
      </Suspense>
    </>
  )
}
