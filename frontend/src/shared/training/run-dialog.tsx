import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'

import type { Dataset, Needs, Run } from '../api/types'
import { readConfig } from '../format/read-config'
import { needsDraft, needsOf } from '../needs/draft'
import { aGpuEach, NeedsFields } from '../needs/needs-fields'
import { TextField } from '../ui/fields'
import { FormDialog } from '../ui/form-dialog'
import { later } from '../ui/later'
import { toast } from '../ui/toast-store'
import { ArchitectureField } from './architecture-field'
import { DatasetField } from './dataset-field'
import { ForecastLine } from './forecast'
import { withoutParamsIn } from './settings'
import { VersionField } from './version-field'

const SettingsFields = later(async () => (await import('./settings-fields')).SettingsFields)

/** What is said of a training. `config` is null where nothing was typed, `needs` where any machine will do. */
export interface RunSettings {
  dataset: string
  version: string
  /** '' for the recommended one. */
  architecture: string
  seed: number
  config: Record<string, unknown> | null
  needs: Needs | null
}

interface RunDialogProps {
  title: string
  model: string
  /** What it is asked of images: architectures that learn something else are not offered. Undefined while that is not known. */
  task: string | undefined
  first: Omit<RunSettings, 'config'>
  /** JSON; '' for the defaults. */
  config?: string
  /** Why it can't be trained on a dataset, null where it can; left out where the dataset is settled. */
  refusal?: (dataset: Dataset) => string | null
  /** Above the fields. */
  children?: ReactNode
  start: (settings: RunSettings) => Promise<Run>
  onClose: () => void
}

/** Asks what to train on and how, starts the run, and goes to it. */
export function RunDialog({ title, model, task, first, config: typed = '', refusal, children, start, onClose }: RunDialogProps) {
  const [draft, setDraft] = useState({ ...first, seed: String(first.seed), config: typed, needs: needsDraft(first.needs) })
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const navigate = useNavigate()
  const config = readConfig(draft.config)
  const asked = { ...draft, needs: needsOf(draft.needs) }
  const begin = useMutation({
    mutationFn: () => start({ ...draft, seed: Number(draft.seed), config: config.config, needs: needsOf(draft.needs) }),
    meta: { renews: [['models', model]] },
    onSuccess: (made) => {
      toast('plain', `Run ${made.id} is queued`)
      onClose()
      void navigate({ to: '/runs/$id', params: { id: String(made.id) } })
    },
  })
  return (
    <FormDialog title={title} wide onClose={onClose} sending={begin} action="Train" doing="Starting…" faults={{ config: config.fault }}>
      {children}
      <div className="form-columns">
        {refusal && <DatasetField name="dataset" label="Dataset" everywhere refusal={refusal} required value={draft.dataset} onChange={(dataset) => change({ dataset, version: 'head' })} />}
        <VersionField dataset={draft.dataset} value={draft.version} onChange={(version) => change({ version })} />
      </div>
      <ArchitectureField value={draft.architecture} onChange={(architecture) => change({ architecture, config: withoutParamsIn(draft.config) })} dataset={draft.dataset} task={task} named={first.architecture !== '' && refusal === undefined} />
      <SettingsFields asked={asked} onChange={(config) => change({ config })} />
      <TextField name="seed" label="Seed" hint="The same seed and settings give the same weights." type="number" min={0} required value={draft.seed} onChange={(seed) => change({ seed })} />
      <details className="fold">
        <summary>Machine</summary>
        <NeedsFields legend="It needs" name="needs" draft={draft.needs} onChange={(needs) => change({ needs })} gpusHint={aGpuEach} />
      </details>
      <ForecastLine asked={asked} />
    </FormDialog>
  )
}
