import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'

import { api, take } from '../../shared/api/client'
import { ApiProblem } from '../../shared/api/errors'
import type { GateResult, Model } from '../../shared/api/types'
import { Dialog } from '../../shared/ui/dialog'
import { DialogButtons } from '../../shared/ui/dialog-buttons'
import { Field, faultOf, FormFault } from '../../shared/ui/form'
import { toast } from '../../shared/ui/toast-store'
import { GateList } from './gate-list'

interface PromoteDialogProps {
  model: Model
  version: number
  onClose: () => void
}

const longestReason = 500

/** Points an alias at a version. When gates refuse, they say why, and only an explicit override moves it all the same. */
export function PromoteDialog({ model, version, onClose }: PromoteDialogProps) {
  const [alias, setAlias] = useState('production')
  const [reason, setReason] = useState('')
  const [override, setOverride] = useState(false)
  const client = useQueryClient()
  const listId = useId()
  const now = model.aliases.find(({ name }) => name === alias)
  const promote = useMutation({
    mutationFn: () =>
      take(
        api.POST('/models/{model}/aliases', {
          params: { path: { model: model.name } },
          body: { alias, version: String(version), reason, override },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['models'] })
      toast('plain', `${alias} points to v${version}`)
      onClose()
    },
  })
  const refused = refusal(promote.error)
  // What the gates said, they said of the alias before.
  const choose = (name: string) => {
    setAlias(name)
    setOverride(false)
    promote.reset()
  }
  return (
    <Dialog open onClose={onClose} title={`Promote v${version} of ${model.name}`}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          promote.mutate()
        }}
      >
        <Field
          label="Alias"
          hint={now ? `It points to v${now.version} now.` : 'A name that moves, such as production. One that does not exist yet begins here.'}
          fault={faultOf(promote.error, 'alias')}
        >
          {(joined) => (
            <input {...joined} className="field" list={listId} required maxLength={60} value={alias} onChange={({ target }) => choose(target.value)} />
          )}
        </Field>
        <datalist id={listId}>
          {[...new Set(['production', ...model.aliases.map(({ name }) => name)])].map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <Field label="Reason" hint="It stays in the history beside your name." fault={faultOf(promote.error, 'reason')}>
          {(joined) => (
            <textarea {...joined} className="field" rows={2} required maxLength={longestReason} value={reason} onChange={({ target }) => setReason(target.value)} />
          )}
        </Field>
        {refused ? (
          <Refused gates={refused} override={override} onOverride={setOverride} />
        ) : (
          <FormFault error={promote.error} fields={['alias', 'reason']} />
        )}
        <DialogButtons pending={promote.isPending} doing="Asking the gates…" blocked={alias.trim() === '' || reason.trim() === ''} onClose={onClose}>
          {override ? `Promote v${version} all the same` : `Promote v${version}`}
        </DialogButtons>
      </form>
    </Dialog>
  )
}

function refusal(error: unknown): GateResult[] | null {
  return error instanceof ApiProblem && error.problem.code === 'gates_failed' ? (error.problem.gates ?? []) : null
}

interface RefusedProps {
  gates: GateResult[]
  override: boolean
  onOverride: (wanted: boolean) => void
}

function Refused({ gates, override, onOverride }: RefusedProps) {
  return (
    <div className="refused stack" role="alert">
      <h3>The gates refuse this version. Nothing was moved.</h3>
      <GateList gates={gates} />
      <label className="check">
        <input type="checkbox" checked={override} onChange={({ target }) => onOverride(target.checked)} />
        <span>
          Override the gates <span className="quiet">– the history will say so</span>
        </span>
      </label>
    </div>
  )
}
