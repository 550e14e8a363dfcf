import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import { api, take } from '../../../shared/api/client'
import { useModel } from '../../../shared/api/queries'
import type { Sweep, Trial } from '../../../shared/api/types'
import { amount } from '../../../shared/format/amount'
import { plural } from '../../../shared/format/numbers'
import { TextField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { toast } from '../../../shared/ui/toast-store'
import { taskTypeOf } from '../../../tasktypes'

/** What makes versions of several trials, and leads on to joining them. */
export function BestVersions({ sweep, trials }: { sweep: Sweep; trials: readonly Trial[] }) {
  const [asking, setAsking] = useState(false)
  const mayBuild = useMay('build')
  const task = useModel(sweep.model)?.task
  const made = trials.flatMap(({ model_version: version }) => (version === null ? [] : [version]))
  const mayJoin = made.length > 1 && task !== undefined && taskTypeOf(task).answer !== 'shapes'
  if (!mayBuild || sweep.counts.complete < 2) return null
  return (
    <>
      <button type="button" className="button" onClick={() => setAsking(true)}>
        Make several versions…
      </button>
      {mayJoin && (
        <Link to="/models/$model" params={{ model: sweep.model }} search={{ join: made.join(',') }} className="button">
          Join {made.length} versions…
        </Link>
      )}
      {asking && <BestDialog sweep={sweep} onClose={() => setAsking(false)} />}
    </>
  )
}

function BestDialog({ sweep, onClose }: { sweep: Sweep; onClose: () => void }) {
  const complete = sweep.counts.complete
  const [best, setBest] = useState(String(Math.min(complete, 4)))
  const wanted = amount(best)
  const make = useMutation({
    mutationFn: () => take(api.POST('/sweeps/{sweep}/register', { params: { path: { sweep: String(sweep.id) } }, body: { best: wanted ?? 0 } })),
    meta: { renews: [['sweeps'], ['runs'], ['jobs']] },
    onSuccess: ({ trials, started }) => {
      const before = trials.length - started.length
      toast('plain', `${plural(started.length, 'version')} will be made${before > 0 ? `; ${before} of the ${trials.length} best trials ${before === 1 ? 'was' : 'were'} asked for before` : ''}`)
      onClose()
    },
  })
  return (
    <FormDialog title={`Make versions of trials of ${sweep.name}`} onClose={onClose} sending={make} action="Make versions" doing="Starting…">
      <TextField name="best" label="Best trials" hint={`Of ${complete} that are complete. Each is exported, proved and evaluated as any training; those that are versions already stay as they are.`} inputMode="numeric" required value={best} onChange={setBest} />
    </FormDialog>
  )
}
