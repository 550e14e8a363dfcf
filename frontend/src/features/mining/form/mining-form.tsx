import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { slicesList } from '../../../shared/api/lists'
import type { NewMiningJob } from '../../../shared/api/types'
import { percentFault } from '../../../shared/format/amount'
import { NeedsFields, oneGpu } from '../../../shared/needs/needs-fields'
import { nobodyElse } from '../../../shared/strategies/committee'
import { CommitteeField } from '../../../shared/strategies/committee-field'
import { ComposeFields } from '../../../shared/strategies/compose-fields'
import { strategiesQuery } from '../../../shared/strategies/queries'
import { paramsRead, StrategyField } from '../../../shared/strategies/strategy-field'
import { TextField } from '../../../shared/ui/fields'
import { Form } from '../../../shared/ui/form'
import { unsavedIn } from '../../../shared/ui/unsaved'
import { strategiesFor } from '../../../tasktypes/strategies'
import { emptyDraft, newMiningJob, noModel, type MiningDraft } from './draft'
import { notThere } from './not-there'
import { SourceFields } from './source-fields'
import { TargetFields } from './target-fields'
import { useThere } from './use-there'

interface MiningFormProps {
  /** What is chosen to begin with. */
  begin: Partial<MiningDraft>
  sending: { error: unknown; isPending: boolean }
  onStart: (body: NewMiningJob) => void
}

export function MiningForm({ begin, sending, onStart }: MiningFormProps) {
  const [begun] = useState<MiningDraft>({ ...emptyDraft, ...begin })
  const [draft, setDraft] = useState(begun)
  const change = (part: Partial<MiningDraft>) => setDraft({ ...draft, ...part })
  const there = useThere(draft)
  const { dataset } = there
  const able = strategiesFor(dataset?.task, useQuery(strategiesQuery).data ?? [])
  const hasModel = draft.model !== noModel
  const strategies = hasModel ? able : able.filter((one) => !one.asks_model)
  const chooseModel = (model: string, modelVersion: string) => {
    const fits = model !== noModel || able.some((one) => one.name === draft.strategy.name && !one.asks_model)
    change({ model, modelVersion, ...(model === noModel && { committee: nobodyElse }), ...(!fits && { strategy: { name: 'auto', typed: {} } }) })
  }
  const { params, faults } = paramsRead(draft.strategy, strategies)
  const classes = dataset?.classes ?? []
  const slices = useInfiniteQuery({ ...slicesList(draft.dataset), enabled: dataset != null }).data?.pages[0]?.results.map(({ name }) => name) ?? []
  return (
    <Form
      className="panel panel-body stack wide-gap form-page"
      sending={sending}
      onSend={() => onStart(newMiningJob(draft, params))}
      faults={{ control: percentFault(draft.controlPercent, 100), ...faults, ...notThere(draft, there) }}
      action="Start mining"
      doing="Starting…"
      beside={
        <Link to="/mining" className="button">
          Cancel
        </Link>
      }
      unsaved={unsavedIn(begun, draft)}
    >
      <SourceFields draft={draft} there={there} change={change} chooseModel={chooseModel} />
      <StrategyField strategies={strategies} draft={draft.strategy} onChange={(strategy) => change({ strategy })} />
      {draft.strategy.name === 'targeted' && <TargetFields draft={draft} change={change} />}
      <div className="form-columns">
        <TextField name="count" label="Picks" hint="How many samples to ask labels for." inputMode="numeric" required value={draft.count} onChange={(count) => change({ count })} />
        <TextField
          name="control"
          label="Picked at random, %"
          hint="The control arm, which measures what mining gains."
          inputMode="decimal"
          value={draft.controlPercent}
          onChange={(controlPercent) => change({ controlPercent })}
        />
        <TextField name="seed" label="Seed" hint="The same seed gives the same picks." inputMode="numeric" value={draft.seed} onChange={(seed) => change({ seed })} />
      </div>
      {hasModel && <CommitteeField draft={draft.committee} onChange={(committee) => change({ committee })} />}
      <ComposeFields draft={draft.compose} onChange={(compose) => change({ compose })} classes={classes} slices={slices} />
      <details className="fold">
        <summary>Machine</summary>
        <NeedsFields legend="Scoring needs" name="needs" draft={draft.needs} onChange={(needs) => change({ needs })} gpusHint={oneGpu} />
      </details>
    </Form>
  )
}
