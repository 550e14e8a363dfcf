import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { vocabularyQuery } from '../../../shared/filters/queries'
import { plural } from '../../../shared/format/numbers'
import { TextField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { type ChangeProps, resultWords } from '../../../shared/edits/edit-dialog'
import { commitTags, whenCommitted } from '../../../shared/edits/edits'
import { typedTags } from './tags'

/** Gives tags to all that are selected, and takes others away. */
export function TagsDialog({ dataset, target, tags = [], onClose, onDone }: ChangeProps & { tags?: readonly string[] }) {
  const [add, setAdd] = useState('')
  const [remove, setRemove] = useState('')
  const [message, setMessage] = useState('')
  const [job, setJob] = useState(false)
  const client = useQueryClient()
  const known = useQuery(vocabularyQuery(dataset.name)).data?.fields.find(({ name }) => name === 'tag')?.values ?? []
  const sending = useMutation({
    mutationFn: async () => {
      const change = { add: typedTags(add), remove: typedTags(remove) }
      return whenCommitted(await commitTags(dataset.name, target, change, { message: message.trim(), parent: dataset.head }), () => setJob(true))
    },
    meta: { renews: [['datasets']] },
    onSuccess: (commit) => {
      onClose()
      onDone(resultWords(commit, 'tagged anew'), commit)
    },
    // Somebody may have committed since: the next try is for the version that is the newest then.
    onError: () => {
      setJob(false)
      void client.invalidateQueries({ queryKey: ['datasets'] })
    },
  })
  const empty = typedTags(add).length === 0 && typedTags(remove).length === 0
  return (
    <FormDialog
      title={`Tag ${plural(target.count, 'sample')}`}
      onClose={onClose}
      sending={sending}
      action={`Tag ${plural(target.count, 'sample')}`}
      doing={job ? 'A job is tagging them…' : 'Committing…'}
      refusal={empty ? 'Type a tag to add or to remove.' : null}
    >
      {tags.length > 0 && <p className="quiet">Tags now: {tags.join(', ')}.</p>}
      <TextField name="add" label="Add tags" hint="Several with commas between: blurry, night." list="known-tags" autoComplete="off" value={add} onChange={setAdd} />
      <TextField name="remove" label="Remove tags" hint="Samples without them stay as they are." list="known-tags" autoComplete="off" value={remove} onChange={setRemove} />
      <datalist id="known-tags">
        {known.map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
      <TextField name="message" label="Message" hint="Optional note for the version list." maxLength={500} value={message} onChange={setMessage} />
    </FormDialog>
  )
}
