import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import { explain } from '../../shared/api/errors'
import type { Model } from '../../shared/api/types'
import { SelectField, TextArea } from '../../shared/ui/fields'
import { Fault } from '../../shared/ui/form'
import { FormDialog } from '../../shared/ui/form-dialog'
import { toast } from '../../shared/ui/toast-store'
import { useList } from '../../shared/lists/pages'
import { versionBefore } from './history'
import { promotionsList } from './queries'

interface RollBackDialogProps {
  model: Model
  onClose: () => void
}

/** Points an alias at the version that it pointed to before. */
export function RollBackDialog({ model, onClose }: RollBackDialogProps) {
  const [alias, setAlias] = useState(model.aliases.find(({ name }) => name === 'production')?.name ?? model.aliases[0]?.name ?? '')
  const [reason, setReason] = useState('')
  const now = model.aliases.find(({ name }) => name === alias)
  const history = useList(promotionsList(model.name, alias))
  const before = versionBefore(alias, history.rows ?? [])
  const whence = `v${now?.version ?? '–'}`
  const client = useQueryClient()
  const rollBack = useMutation({
    // Where somebody else was first, the version before is another one than the button names: the server refuses that.
    mutationFn: () => take(api.POST('/models/{model}/rollback', { params: { path: { model: model.name } }, body: { alias, reason, ...(before === null ? {} : { version: before }) } })),
    meta: { renews: [['models']] },
    onError: () => client.invalidateQueries({ queryKey: ['models'] }),
    onSuccess: (made) => {
      toast('plain', `${alias} points to v${made.version} again`)
      onClose()
    },
  })
  return (
    <FormDialog
      title={`Roll back ${model.name}`}
      onClose={onClose}
      sending={rollBack}
      action={before === null ? 'Roll back' : `Roll back to v${before}`}
      doing="Rolling back…"
      refusal={before === null ? `${alias} has no earlier version.` : null}
    >
      <SelectField
        name="alias"
        label="Alias"
        hint={history.rows === undefined ? `It points to ${whence}.` : before === null ? `It points to ${whence}; it has no earlier version.` : `From ${whence} back to v${before}.`}
        value={alias}
        onChange={setAlias}
        options={model.aliases.map(({ name }) => name)}
      />
      <TextArea name="reason" label="Reason" hint="Required; kept in the history with your name." rows={2} required maxLength={500} value={reason} onChange={setReason} />
      {history.error !== null && <Fault>{explain(history.error)}</Fault>}
    </FormDialog>
  )
}
