import '../../../shared/classes/classes.css'

import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'

import { schemaQuery } from '../../../shared/classes/queries'
import { plural } from '../../../shared/format/numbers'
import { ClassPicker } from './class-picker'
import { type ChangeProps, EditDialog } from './edit-dialog'

/** One class for all that are selected. */
export function RelabelDialog({ preset = null, ...change }: ChangeProps & { preset?: string | null }) {
  const [name, setName] = useState<string | null>(preset)
  const schema = useQuery(schemaQuery(change.dataset.name))
  const edit = useMemo(() => (name === null ? null : { label: { class: name } }), [name])
  const classes = (schema.data?.classes ?? []).filter(({ archived }) => !archived)
  return (
    <EditDialog {...change} title={`Relabel ${plural(change.target.count, 'sample')}`} edit={edit} verb="Relabel" done={`relabelled as ${name}`}>
      <ClassPicker classes={classes} value={name} onChange={setName} />
    </EditDialog>
  )
}
