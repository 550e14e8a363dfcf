import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'

import type { Dataset, Needs, Run } from '../api/types'
import { readConfig } from '../format/read-config'
import { needsDraft, needsOf } from '../needs/draft'
import { aGpuEach, NeedsFields } from '../needs/needs-fields'
import { TextArea, TextField } from '../ui/fields'
import { FormDialog } from '../ui/form-dialog'
import { toast } from '../ui/toast-store'
import { ArchitectureField } from './architecture-field'
import { DatasetField } from './dataset-field'

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
  /** Why it can't be trained on a dataset, null where it can; left out where the dataset is settled. */
  refusal?: (dataset: Dataset) => string | null
  /** Above the fields. */
  children?: ReactNode
  configLabel: string
  configHint: string
  start: (settings: RunSettings) => Promise<Run>
  onClose: () => void
}

/** Asks what to train on and how, starts the run, and goes to it. */
export function RunDialog({ title, model, task, first, refusal, children, configLabel, configHint, start, onClose }: RunDialogProps) {
  const [draft, setDraft] = useState({ ...first, seed: String(first.seed), config: '', needs: needsDraft(first.needs) })
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const navigate = useNavigate()
  const config = readConfig(draft.config)
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
    <FormDialog title={title} onClose={onClose} sending={begin} action="Train" doing="Starting…" faults={{ config: config.fault }}>
      {children}
      {refusal && <DatasetField name="dataset" label="Dataset" everywhere refusal={refusal} required value={draft.dataset} onChange={(dataset) => change({ dataset })} />}
      <TextField
        name="version"
        label={draft.dataset === '' ? 'Version' : `Version of ${draft.dataset}`}
        hint="A number, a tag, an alias, or head."
        required
        value={draft.version}
        onChange={(version) => change({ version })}
      />
      <ArchitectureField value={draft.architecture} onChange={(architecture) => change({ architecture })} dataset={draft.dataset} task={task} named={first.architecture !== '' && refusal === undefined} />
      <TextField name="seed" label="Seed" hint="The same seed and settings give the same weights." type="number" min={0} required value={draft.seed} onChange={(seed) => change({ seed })} />
      <TextArea name="config" label={configLabel} hint={configHint} className="mono" rows={3} value={draft.config} onChange={(config) => change({ config })} />
      <details className="fold">
        <summary>Machine</summary>
        <NeedsFields legend="It needs" name="needs" draft={draft.needs} onChange={(needs) => change({ needs })} gpusHint={aGpuEach} />
      </details>
    </FormDialog>
  )
}
