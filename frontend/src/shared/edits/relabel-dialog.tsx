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
import { RelabelSeveral } from './relabel-several'

type RelabelProps = ChangeProps & { preset?: string | null }

/** What the labels of the samples become, as the task of the dataset has it; where an image has objects, none can be given at once. */
export function RelabelDialog({ preset = null, ...change }: RelabelProps) {
  const { answer } = taskTypeOf(change.dataset.task)
  if (answer === 'classes') return <RelabelSeveral {...change} />
  return <RelabelOne {...change} preset={preset} clearsOnly={answer !== 'class'} />
}

/** One class for all of the samples, or no label any more. */
function RelabelOne({ preset = null, clearsOnly, ...change }: RelabelProps & { clearsOnly: boolean }) {
  const [name, setName] = useState<string | null>(preset)
  const [clears, setClears] = useState(clearsOnly)
  const schema = useQuery(schemaQuery(change.dataset.name))
  const edit = useMemo<Edit | null>(() => (clears ? { clear: true } : name === null ? null : { label: { class: name } }), [name, clears])
  const classes = (schema.data?.classes ?? []).filter(({ archived }) => !archived)
  return (
    <EditDialog
      {...change}
      title={`${clearsOnly ? 'Clear the labels of' : 'Relabel'} ${plural(change.target.count, 'sample')}`}
      edit={edit}
      verb={clears ? 'Clear the labels of' : 'Relabel'}
      done={clears ? 'without a label' : `relabelled as ${name}`}
    >
      {!clears && <ClassPicker classes={classes} value={name} onChange={setName} />}
      {clearsOnly ? (
        <p className="quiet">An image of this dataset may have several objects: send it to a queue to label it anew.</p>
      ) : (
        <Check checked={clears} onChange={setClears}>
          Clear the label instead
        </Check>
      )}
    </EditDialog>
  )
}
