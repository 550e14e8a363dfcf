import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import type { Model } from '../../shared/api/types'
import { Dialog } from '../../shared/ui/dialog'
import { DialogButtons } from '../../shared/ui/dialog-buttons'
import { Field, faultOf, FormFault } from '../../shared/ui/form'
import { toast } from '../../shared/ui/toast-store'
import { versionBefore } from './history'
import { promotionsQuery } from './queries'

interface RollBackDialogProps {
  model: Model
  onClose: () => void
}

/** Points an alias at the version that it pointed to before. */
export function RollBackDialog({ model, onClose }: RollBackDialogProps) {
  const [alias, setAlias] = useState(model.aliases.find(({ name }) => name === 'production')?.name ?? model.aliases[0]?.name ?? '')
  const [reason, setReason] = useState('')
  const client = useQueryClient()
  const now = model.aliases.find(({ name }) => name === alias)
  const history = useInfiniteQuery(promotionsQuery(model.name, alias))
  const before = versionBefore(alias, history.data?.pages[0]?.results ?? [])
  const whence = `v${now?.version ?? '–'}`
  const rollBack = useMutation({
    mutationFn: () => take(api.POST('/models/{model}/rollback', { params: { path: { model: model.name } }, body: { alias, reason } })),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ['models'] })
      toast('plain', `${alias} points to v${made.version} again`)
      onClose()
    },
  })
  return (
    <Dialog open onClose={onClose} title={`Roll back ${model.name}`}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          rollBack.mutate()
        }}
      >
        <Field
          label="Alias"
          hint={
            history.isPending ? `It points to ${whence}.` : before === null ? `It points to ${whence}, and to nothing before.` : `From ${whence} back to v${before}.`
          }
          fault={faultOf(rollBack.error, 'alias')}
        >
          {(joined) => (
            <select {...joined} className="field" value={alias} onChange={({ target }) => setAlias(target.value)}>
              {model.aliases.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Reason" hint="It stays in the history beside your name." fault={faultOf(rollBack.error, 'reason')}>
          {(joined) => (
            <textarea {...joined} className="field" rows={2} required maxLength={500} value={reason} onChange={({ target }) => setReason(target.value)} />
          )}
        </Field>
        {history.isError && <FormFault error={history.error} fields={[]} />}
        <FormFault error={rollBack.error} fields={['alias', 'reason']} />
        <DialogButtons pending={rollBack.isPending} doing="Rolling back…" blocked={before === null || reason.trim() === ''} onClose={onClose}>
          {before === null ? 'Roll back' : `Roll back to v${before}`}
        </DialogButtons>
      </form>
    </Dialog>
  )
}
