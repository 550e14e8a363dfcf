import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import type { Dataset, Lake, NewLakeScan } from '../../../shared/api/types'
import { amount, given, percentFault } from '../../../shared/format/amount'
import { anyMachine, needsOf } from '../../../shared/needs/draft'
import { NeedsFields, oneGpu } from '../../../shared/needs/needs-fields'
import { strategiesQuery } from '../../../shared/strategies/queries'
import { paramsRead, StrategyField, type StrategyDraft } from '../../../shared/strategies/strategy-field'
import { TextField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { strategiesFor } from '../../../tasktypes/strategies'
import { ModelVersionField } from '../model-version-field'
import { columnWords, conditions } from './conditions'

interface ScanDialogProps {
  dataset: Dataset
  lake: Lake
  onClose: () => void
}

/** Which model looks at which frames, and how many it brings in. */
export function ScanDialog({ dataset, lake, onClose }: ScanDialogProps) {
  const strategies = strategiesFor(dataset.task, useQuery(strategiesQuery).data ?? []).filter(({ name }) => lake.strategies.includes(name))
  const [strategy, setStrategy] = useState<StrategyDraft>({ name: 'margin', typed: {} })
  const [draft, setDraft] = useState({ model: '', count: '100', control: '10', seed: '0', prefix: '', where: '', queue: '', needs: anyMachine })
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const { params, faults } = paramsRead(strategy, strategies)
  const start = useMutation({
    mutationFn: () => {
      const body: NewLakeScan = {
        model: draft.model,
        strategy: { name: strategy.name, params },
        count: amount(draft.count) ?? 0,
        control: (amount(draft.control) ?? 0) / 100,
        seed: amount(draft.seed) ?? 0,
        prefix: draft.prefix,
        where: conditions(draft.where),
        ...(draft.queue === '' ? {} : { queue: draft.queue }),
        ...given({ needs: needsOf(draft.needs) }),
      }
      return take(api.POST('/datasets/{reference}/lake/scans', { params: { path: { reference: dataset.name } }, body }))
    },
    meta: { renews: [['datasets']] },
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title="Scan the lake"
      wide
      onClose={onClose}
      sending={start}
      onSend={() => start.mutate()}
      faults={{ control: percentFault(draft.control, 100), ...faults }}
      action="Start the scan"
      doing="Starting…"
    >
      <ModelVersionField dataset={dataset} name="model" label="Model" hint="Those with the classes of the dataset." placeholder="choose a trained model" required value={draft.model} onChange={(model) => change({ model })} />
      <StrategyField strategies={strategies} draft={strategy} onChange={setStrategy} />
      <div className="form-columns">
        <TextField name="count" label="Picks" hint="How many frames to bring in." inputMode="numeric" required value={draft.count} onChange={(count) => change({ count })} />
        <TextField
          name="control"
          label="Picked at random, %"
          hint="The control arm, which measures what the strategy gains."
          inputMode="decimal"
          value={draft.control}
          onChange={(control) => change({ control })}
        />
        <TextField name="seed" label="Seed" hint="The same seed gives the same picks." inputMode="numeric" value={draft.seed} onChange={(seed) => change({ seed })} />
      </div>
      <div className="form-columns">
        <TextField name="prefix" label="Keys that begin with" hint="Empty: all frames." value={draft.prefix} onChange={(prefix) => change({ prefix })} />
        <TextField name="where" label="Conditions" hint={columnWords(lake.columns)} value={draft.where} onChange={(where) => change({ where })} />
      </div>
      <TextField name="queue" label="Queue" hint="Puts the picks before annotators, in a new queue of this name. Empty: not yet." value={draft.queue} onChange={(queue) => change({ queue })} />
      <details className="fold">
        <summary>Machine</summary>
        <NeedsFields legend="Scoring needs" name="needs" draft={draft.needs} onChange={(needs) => change({ needs })} gpusHint={oneGpu} />
      </details>
    </FormDialog>
  )
}
