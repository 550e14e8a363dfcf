import { useQuery } from '@tanstack/react-query'
import { Bookmark, Pencil } from 'lucide-react'
import { useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import { sessionQuery, sliceQuery } from '../../../shared/api/queries'
import { textOf } from '../../../shared/filters/text'
import { type GridSearch, without } from '../../../shared/routes/grid-search'
import { later } from '../../../shared/ui/later'

const SliceDialog = later(async () => (await import('./slice-dialog')).default)

interface SliceActionProps {
  id: string
  search: GridSearch
  onChange: (search: GridSearch) => void
}

/** Keeps what the grid shows under a name, for evaluation, mining and the next look. */
export function SaveSlice({ id, search, onChange }: SliceActionProps) {
  const [open, setOpen] = useState(false)
  const filter = textOf(search)
  return (
    <>
      <button type="button" className="button little" onClick={() => setOpen(true)}>
        <Bookmark size={12} aria-hidden />
        Save as a slice…
      </button>
      {open && (
        <SliceDialog
          id={id}
          filter={filter}
          onClose={() => setOpen(false)}
          onSaved={(slice) => {
            setOpen(false)
            onChange({ ...(search.v === undefined ? {} : { v: search.v }), ...(slice === null ? {} : { slice }) })
          }}
        />
      )}
    </>
  )
}

/** Renames, changes or deletes the slice that the grid shows: for its author and owners. */
export function EditSlice({ id, project, search, onChange }: SliceActionProps & { project: string }) {
  const [open, setOpen] = useState(false)
  const slice = useQuery({ ...sliceQuery(id, search.slice ?? ''), enabled: search.slice !== undefined }).data
  const me = useQuery(sessionQuery).data?.user
  const owns = useMay('own', project)
  if (slice === undefined || (slice.created_by !== me?.username && !owns)) return null
  return (
    <>
      <button type="button" className="button little" onClick={() => setOpen(true)}>
        <Pencil size={12} aria-hidden />
        Edit slice…
      </button>
      {open && (
        <SliceDialog
          id={id}
          slice={slice}
          filter={slice.text}
          onClose={() => setOpen(false)}
          onSaved={(name) => {
            setOpen(false)
            onChange(name === null ? without(search, 'slice') : { ...search, slice: name })
          }}
        />
      )}
    </>
  )
}
