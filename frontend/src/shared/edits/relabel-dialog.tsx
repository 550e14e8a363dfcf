import '../classes/classes.css'

import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'

import { taskTypeOf } from '../../tasktypes'
import { schemaQuery } from '../classes/queries'
import { plural } from '../format/numbers'
import { Check } from '../ui/fields'
import { ClassPicker } from './class-picker'
import { type ChangeProps, EditDialog } from './edit-dialog'
import type { Edit } from './edits'

/** One class for all of the samples, or none any more; only the latter where an image may have several classes or objects. */
export function RelabelDialog({ preset = null, ...change }: ChangeProps & { preset?: string | null }) {
  const several = taskTypeOf(change.dataset.task).answer !== 'class'
  const [name, setName] = useState<string | null>(preset)
  const [clears, setClears] = useState(several)
  const schema = useQuery(schemaQuery(change.dataset.name))
  const edit = useMemo<Edit | null>(() => (clears ? { clear: true } : name === null ? null : { label: { class: name } }), [name, clears])
  const classes = (schema.data?.classes ?? []).filter(({ archived }) => !archived)
  return (
    <EditDialog
      {...change}
      title={`${several ? 'Clear the labels of' : 'Relabel'} ${plural(change.target.count, 'sample')}`}
      edit={edit}
      verb={clears ? 'Clear the labels of' : 'Relabel'}
      done={clears ? 'without a label' : `relabelled as ${name}`}
    >
      {!clears && <ClassPicker classes={classes} value={name} onChange={setName} />}
      {several ? (
        <p className="quiet">An image of this dataset may have several classes or objects: send it to a queue to label it anew.</p>
      ) : (
        <Check checked={clears} onChange={setClears}>
          Clear the label instead
        </Check>
      )}
    </EditDialog>
  )
}
