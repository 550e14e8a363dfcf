import './lifecycle.css'

import { useState } from 'react'

import { useRights } from '../access/use-may'
import { Chip } from '../ui/chip'
import { later } from '../ui/later'
import { type LifecycleKind, type Named, nouns } from './calls'
import { useArchive } from './use-lifecycle'

// The menu's library and the dialogs come once a page stands: no page waits for them.
const LifecycleItems = later(async () => (await import('./lifecycle-items')).default, <span className="button plain icon" aria-hidden />)
const DeleteDialog = later(async () => (await import('./delete-dialog')).DeleteDialog)
const RenameDialog = later(async () => (await import('./rename-dialog')).RenameDialog)

interface LifecycleMenuProps {
  kind: LifecycleKind
  thing: Named
  /** Where the page's address has the name. */
  onRenamed?: (name: string) => void
  /** Where the page shows the thing: leaves it. */
  onDeleted?: () => Promise<void>
}

/** Rename, archive or restore for engineers, delete for owners; a reviewer renames a queue. An archived thing says so, to everybody. */
export function LifecycleMenu({ kind, thing, onRenamed, onDeleted }: LifecycleMenuProps) {
  const may = useRights()
  const [open, setOpen] = useState<'rename' | 'delete' | null>(null)
  const archive = useArchive(kind, thing)
  const archived = thing.archived !== null
  const builds = may('build', thing.project)
  const renames = builds || (kind === 'queue' && !archived && may('review', thing.project))
  const close = () => setOpen(null)
  return (
    <>
      {archived && <Chip tone="warn">Archived: read only</Chip>}
      {renames && (
        <LifecycleItems
          label={`More for the ${nouns[kind]} ${thing.name}`}
          busy={archive.isPending}
          archived={archived}
          onRename={() => setOpen('rename')}
          onArchive={builds ? () => archive.mutate() : null}
          onDelete={may('own', thing.project) ? () => setOpen('delete') : null}
        />
      )}
      {open === 'rename' && <RenameDialog kind={kind} thing={thing} onClose={close} onRenamed={onRenamed} />}
      {open === 'delete' && <DeleteDialog kind={kind} thing={thing} onClose={close} onDeleted={onDeleted} />}
    </>
  )
}
