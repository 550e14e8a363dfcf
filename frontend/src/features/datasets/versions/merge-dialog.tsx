import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import { ApiProblem } from '../../../shared/api/errors'
import { TextField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { toast } from '../../../shared/ui/toast-store'

interface MergeDialogProps {
  /** Names of the datasets: the one that gets a commit, and the one whose changes it takes. */
  into: string
  from: string
  onClose: () => void
}

type Prefer = 'ours' | 'theirs'

/** Takes what another line of a dataset changed into this one, as one commit. */
export function MergeDialog({ into, from, onClose }: MergeDialogProps) {
  const [message, setMessage] = useState('')
  const navigate = useNavigate()
  const merge = useMutation({
    mutationFn: (prefer: Prefer | null) =>
      take(api.POST('/datasets/{reference}/merges', { params: { path: { reference: into } }, body: { from, version: 'head', message, prefer } })),
    meta: { renews: [['datasets']] },
    onSuccess: async ({ version }) => {
      onClose()
      if (version === null) {
        toast('plain', `${into} has all of ${from} already`)
        return
      }
      toast('plain', `${into} v${version} has the changes of ${from}`)
      await navigate({ to: '/datasets/$id/diff', params: { id: into }, search: { to: String(version) } })
    },
  })
  const conflicts = conflictsOf(merge.error)
  return (
    <FormDialog
      title={`Merge ${from} into ${into}`}
      onClose={onClose}
      sending={conflicts ? { error: null, isPending: merge.isPending } : merge}
      onSend={() => merge.mutate(null)}
      action={conflicts ? undefined : 'Merge'}
      doing="Merging…"
    >
      <p className="quiet">
        The changes in {from} since the fork or the last merge become one commit in {into}. {from} is not changed.
      </p>
      <TextField name="message" label="Message" maxLength={500} value={message} onChange={setMessage} />
      {conflicts && <Conflicts keys={conflicts} into={into} from={from} pending={merge.isPending} onPrefer={(prefer) => merge.mutate(prefer)} />}
    </FormDialog>
  )
}

/** The keys that both sides changed, or the first hundred of them; null when something else is wrong, or nothing. */
function conflictsOf(error: unknown): string[] | null {
  if (!(error instanceof ApiProblem) || error.problem.code !== 'merge_conflict') return null
  return Object.keys(error.problem.errors ?? {})
}

interface ConflictsProps {
  keys: string[]
  into: string
  from: string
  pending: boolean
  onPrefer: (prefer: Prefer) => void
}

function Conflicts({ keys, into, from, pending, onPrefer }: ConflictsProps) {
  return (
    <div className="stack" role="alert">
      <p>These samples changed on both sides, so nothing was written yet. Which changes do you want to keep?</p>
      <ul className="conflicts mono" aria-label="Changed on both sides">
        {keys.map((key) => (
          <li key={key} className="cut">
            {key}
          </li>
        ))}
      </ul>
      <div className="row wrap">
        <button type="button" className="button" disabled={pending} onClick={() => onPrefer('ours')}>
          Keep the changes of {into}
        </button>
        <button type="button" className="button" disabled={pending} onClick={() => onPrefer('theirs')}>
          Take the changes of {from}
        </button>
      </div>
    </div>
  )
}
