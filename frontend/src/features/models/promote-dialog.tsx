import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'

import { api, take } from '../../shared/api/client'
import { ApiProblem } from '../../shared/api/errors'
import type { GateResult, Model } from '../../shared/api/types'
import { Check, TextArea, TextField } from '../../shared/ui/fields'
import { FormDialog } from '../../shared/ui/form-dialog'
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
    meta: { renews: [['models']] },
    onSuccess: () => {
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
    <FormDialog
      title={`Promote v${version} of ${model.name}`}
      onClose={onClose}
      sending={{ error: refused ? null : promote.error, isPending: promote.isPending }}
      onSend={() => promote.mutate()}
      action={override ? `Promote v${version} anyway` : `Promote v${version}`}
      doing="Checking the gates…"
    >
      <TextField
        name="alias"
        label="Alias"
        hint={now ? `It points to v${now.version} now.` : 'A name that moves, such as production. A new name starts here.'}
        list={listId}
        required
        maxLength={60}
        value={alias}
        onChange={choose}
      />
      <datalist id={listId}>
        {[...new Set(['production', ...model.aliases.map(({ name }) => name)])].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <TextArea name="reason" label="Reason" hint="Required; kept in the history with your name." rows={2} required maxLength={longestReason} value={reason} onChange={setReason} />
      {refused && <Refused gates={refused} override={override} onOverride={setOverride} />}
    </FormDialog>
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
      <h3>This version fails its gates. The alias was not moved.</h3>
      <GateList gates={gates} />
      <Check checked={override} onChange={onOverride}>
        Override the gates <span className="quiet">– the history will say so</span>
      </Check>
    </div>
  )
}
