import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { datasetsQuery } from '../../../shared/api/queries'
import { slicesQuery } from '../../../shared/api/slices'
import type { NewMiningJob } from '../../../shared/api/types'
import { percentFault } from '../../../shared/format/amount'
import { CommitteeField } from '../../../shared/strategies/committee-field'
import { ComposeFields } from '../../../shared/strategies/compose-fields'
import { StrategyField, useReadParams } from '../../../shared/strategies/strategy-field'
import { Field, faultOf, FormFault, useRefusal } from '../../../shared/ui/form'
import { LeaveGuard } from '../../../shared/ui/leave-guard'
import { unsavedIn } from '../../../shared/ui/unsaved'
import { emptyDraft, newMiningJob, type MiningDraft } from './draft'
import { SourceFields } from './source-fields'
import { TargetFields } from './target-fields'

interface MiningFormProps {
  /** What is chosen to begin with. */
  begin: Partial<MiningDraft>
  error: unknown
  pending: boolean
  onStart: (body: NewMiningJob) => void
}

const fields = ['dataset', 'version', 'model', 'strategy', 'count', 'control', 'seed', 'filter', 'compose', 'committee']
const targets = ['like', 'unlike']

export function MiningForm({ begin, error, pending, onStart }: MiningFormProps) {
  const { said, found, refuse } = useRefusal(error)
  const [begun] = useState<MiningDraft>({ ...emptyDraft, ...begin })
  const [draft, setDraft] = useState(begun)
  const change = (part: Partial<MiningDraft>) => setDraft({ ...draft, ...part })
  const { params, faults } = useReadParams(draft.strategy)
  const classes = useQuery(datasetsQuery).data?.find(({ name }) => name === draft.dataset)?.classes ?? []
  const slices = (useQuery({ ...slicesQuery(draft.dataset), enabled: draft.dataset !== '' }).data ?? []).map(({ name }) => name)
  const controlFault = percentFault(draft.controlPercent, 100)
  const sound = controlFault === null && Object.keys(faults).length === 0
  const targeted = draft.strategy.name === 'targeted'
  return (
    <form
      className="panel panel-body stack wide-gap form-page"
      onSubmit={(event) => {
        event.preventDefault()
        if (sound) onStart(newMiningJob(draft, params))
        else refuse()
      }}
    >
      <SourceFields draft={draft} change={change} slices={slices} error={said} />
      <StrategyField draft={draft.strategy} onChange={(strategy) => change({ strategy })} fault={faultOf(said, 'strategy')} />
      {targeted && <TargetFields draft={draft} change={change} error={said} />}
      <div className="form-columns">
        <Field label="Picks" hint="How many samples to ask labels for." fault={faultOf(said, 'count')}>
          {(joined) => <input {...joined} className="field" inputMode="numeric" required value={draft.count} onChange={({ target }) => change({ count: target.value })} />}
        </Field>
        <Field label="Picked at random, %" hint="The control arm: it measures what mining gains." fault={controlFault ?? faultOf(said, 'control')}>
          {(joined) => <input {...joined} className="field" inputMode="decimal" value={draft.controlPercent} onChange={({ target }) => change({ controlPercent: target.value })} />}
        </Field>
        <Field label="Seed" hint="The same seed gives the same picks." fault={faultOf(said, 'seed')}>
          {(joined) => <input {...joined} className="field" inputMode="numeric" value={draft.seed} onChange={({ target }) => change({ seed: target.value })} />}
        </Field>
      </div>
      <CommitteeField draft={draft.committee} onChange={(committee) => change({ committee })} fault={faultOf(said, 'committee')} />
      <ComposeFields draft={draft.compose} onChange={(compose) => change({ compose })} classes={classes} slices={slices} fault={faultOf(said, 'compose')} />
      <FormFault error={said} fields={targeted ? [...fields, ...targets] : fields} found={found} />
      <div className="row">
        <button type="submit" className="button primary" disabled={pending}>
          {pending ? 'Starting…' : 'Start mining'}
        </button>
        <Link to="/mining" className="button">
          Cancel
        </Link>
      </div>
      <LeaveGuard unsaved={unsavedIn(begun, draft)} />
    </form>
  )
}
