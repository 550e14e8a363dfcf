import { Upload } from 'lucide-react'
import { type DragEvent, type ReactNode, useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import type { Dataset } from '../../../shared/api/types'
import { later } from '../../../shared/ui/later'
import { toast } from '../../../shared/ui/toast-store'
import { dropped, type FoundFile } from './chosen-files'

const AddFilesDialog = later(async () => (await import('./add-files-dialog')).default)

/** Where dropped files go instead of into the dataset. */
export interface DropElsewhere {
  /** What is dropped to, in words. */
  words: string
  onDropped: (found: FoundFile[]) => void
}

interface DropFilesProps {
  dataset: Dataset
  className: string
  elsewhere?: DropElsewhere | undefined
  /** Gets the button for those who don't drop. */
  children: (addFiles: ReactNode) => ReactNode
}

/** A place where those who may build drop files and folders to add them to a dataset. */
export function DropFiles({ dataset, className, elsewhere, children }: DropFilesProps) {
  const mayBuild = useMay('build', dataset.project)
  const [over, setOver] = useState(false)
  const [adding, setAdding] = useState<FoundFile[] | null>(null)
  if (!mayBuild) return <div className={className}>{children(null)}</div>
  const onDragOver = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    dropped(event.dataTransfer).then(elsewhere?.onDropped ?? setAdding, () => toast('bad', 'The browser could not read what was dropped. Use the button instead.'))
  }
  return (
    // Dropping is the pointer's way; the button in the head does the same by keyboard.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className={className}
      onDragOver={onDragOver}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={onDrop}
    >
      {children(
        <button type="button" className="button" onClick={() => setAdding([])}>
          <Upload size={14} aria-hidden />
          Add files
        </button>,
      )}
      {over && (
        <div className="drop-veil" aria-hidden>
          {elsewhere?.words ?? `Drop to add to ${dataset.name}`}
        </div>
      )}
      {adding && <AddFilesDialog dataset={dataset} dropped={adding} onClose={() => setAdding(null)} />}
    </div>
  )
}
