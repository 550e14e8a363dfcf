import './lifecycle.css'

import { Ellipsis } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useState } from 'react'

import { useRights } from '../access/use-may'
import { Chip } from '../ui/chip'
import { type LifecycleKind, type Named, nouns } from './calls'
import { DeleteDialog } from './delete-dialog'
import { RenameDialog } from './rename-dialog'
import { useArchive } from './use-lifecycle'

interface LifecycleMenuProps {
  kind: LifecycleKind
  thing: Named
  /** Where the page's address has the name. */
  onRenamed?: (name: string) => void
  /** Where the page shows the thing. */
  onDeleted?: () => void
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
        <DropdownMenu.Root>
          <DropdownMenu.Trigger className="button plain icon" aria-label={`More for the ${nouns[kind]} ${thing.name}`} disabled={archive.isPending}>
            <Ellipsis size={16} aria-hidden />
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content className="lifecycle-menu" align="end" sideOffset={4}>
              <DropdownMenu.Item disabled={archived} onSelect={() => setOpen('rename')}>
                Rename…
              </DropdownMenu.Item>
              {builds && <DropdownMenu.Item onSelect={() => archive.mutate()}>{archived ? 'Restore' : 'Archive'}</DropdownMenu.Item>}
              {may('own', thing.project) && (
                <DropdownMenu.Item disabled={!archived} onSelect={() => setOpen('delete')}>
                  Delete…{!archived && ' (archive it first)'}
                </DropdownMenu.Item>
              )}
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      )}
      {open === 'rename' && <RenameDialog kind={kind} thing={thing} onClose={close} onRenamed={onRenamed} />}
      {open === 'delete' && <DeleteDialog kind={kind} thing={thing} onClose={close} onDeleted={onDeleted} />}
    </>
  )
}
