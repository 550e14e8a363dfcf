import { plural } from '../../../shared/format/numbers'
import { type ChangeProps, EditDialog } from '../../../shared/edits/edit-dialog'

const edit = { remove: true } as const

/** Takes what is selected out of the next version. */
export function RemoveDialog(change: ChangeProps) {
  return (
    <EditDialog {...change} title={`Remove ${plural(change.target.count, 'sample')}`} edit={edit} verb="Remove" done="removed">
      <p>They leave {change.dataset.name} with the next version. Earlier versions keep them, and Undo brings them back.</p>
    </EditDialog>
  )
}
