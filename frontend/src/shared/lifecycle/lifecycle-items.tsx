import { Ellipsis } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'

export interface LifecycleItemsProps {
  label: string
  busy: boolean
  archived: boolean
  onRename: () => void
  /** Null for who may not. */
  onArchive: (() => void) | null
  onDelete: (() => void) | null
}

export default function LifecycleItems({ label, busy, archived, onRename, onArchive, onDelete }: LifecycleItemsProps) {
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger className="button plain icon" aria-label={label} disabled={busy}>
        <Ellipsis size={16} aria-hidden />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="lifecycle-menu" align="end" sideOffset={4}>
          <DropdownMenu.Item disabled={archived} onSelect={onRename}>
            Rename…{archived && ' (restore it first)'}
          </DropdownMenu.Item>
          {onArchive && <DropdownMenu.Item onSelect={onArchive}>{archived ? 'Restore' : 'Archive'}</DropdownMenu.Item>}
          {onDelete && (
            <DropdownMenu.Item disabled={!archived} onSelect={onDelete}>
              Delete…{!archived && ' (archive it first)'}
            </DropdownMenu.Item>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
