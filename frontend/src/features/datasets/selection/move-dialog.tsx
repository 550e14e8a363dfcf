import { useMemo, useState } from 'react'

import type { Split } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { splits } from '../../../shared/routes/grid-search'
import { SelectField } from '../../../shared/ui/fields'
import { type ChangeProps, EditDialog } from '../../../shared/edits/edit-dialog'

/** Another split for all that are selected. */
export function MoveDialog(change: ChangeProps) {
  const [split, setSplit] = useState<Split | ''>('')
  const edit = useMemo(() => (split === '' ? null : { split }), [split])
  const toTest = split === 'test'
  return (
    <EditDialog {...change} title={`Move ${plural(change.target.count, 'sample')} to a split`} edit={edit} verb="Move" done={`moved to ${split}`} final={toTest}>
      <SelectField
        name="split"
        label="Split"
        hint={toTest ? 'Samples in test stay there for good: you can’t undo this.' : 'Training uses train and val; test is what models are judged by.'}
        value={split}
        onChange={setSplit}
        options={splits}
      >
        <option value="">Choose a split</option>
      </SelectField>
    </EditDialog>
  )
}
