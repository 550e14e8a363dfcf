import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { architecturesQuery } from '../api/queries'
import type { Run } from '../api/types'
import { readConfig } from '../format/read-config'
import { Dialog } from '../ui/dialog'
import { DialogButtons } from '../ui/dialog-buttons'
import { FirstOption } from '../ui/first-option'
import { Field, faultOf, FormFault } from '../ui/form'
import { toast } from '../ui/toast-store'

/** What is said of a training. `config` is null where nothing was typed. */
export interface RunTerms {
  dataset: string
  version: string
  architecture: string
  seed: number
  config: Record<string, unknown> | null
}

interface RunDialogProps {
  title: string
  model: string
  first: Omit<RunTerms, 'config'>
  /** Those it may be trained on; null where that is settled. */
  datasets: readonly string[] | null
  configLabel: string
  configHint: string
  start: (terms: RunTerms) => Promise<Run>
  onClose: () => void
}

const fields = ['dataset', 'seed', 'version', 'architecture', 'config']

/** Asks what to train on and how, starts the run, and goes to it. */
export function RunDialog({ title, model, first, datasets, configLabel, configHint, start, onClose }: RunDialogProps) {
  const [draft, setDraft] = useState({ ...first, seed: String(first.seed), config: '' })
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  const architectures = useQuery(architecturesQuery).data?.map(({ name }) => name) ?? [first.architecture]
  const client = useQueryClient()
  const navigate = useNavigate()
  const config = readConfig(draft.config)
  const begin = useMutation({
    mutationFn: () => start({ ...draft, seed: Number(draft.seed), config: config.config }),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ['models', model] })
      toast('plain', `Run ${made.id} is queued`)
      onClose()
      void navigate({ to: '/runs/$id', params: { id: String(made.id) } })
    },
  })
  const fault = (field: string) => faultOf(begin.error, field)
  return (
    <Dialog open onClose={onClose} title={title}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          begin.mutate()
        }}
      >
        {datasets !== null && (
          <Field label="Dataset" fault={fault('dataset')}>
            {(joined) => (
              <select {...joined} className="field" required value={draft.dataset} onChange={({ target }) => change({ dataset: target.value })}>
                <FirstOption noun="dataset with samples for this model" among={datasets} />
                {datasets.map((name) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            )}
          </Field>
        )}
        <Field label={draft.dataset === '' ? 'Version' : `Version of ${draft.dataset}`} hint="A number, a tag, an alias, or head." fault={fault('version')}>
          {(joined) => <input {...joined} className="field" required value={draft.version} onChange={({ target }) => change({ version: target.value })} />}
        </Field>
        <Field label="Architecture" fault={fault('architecture')}>
          {(joined) => (
            <select {...joined} className="field" value={draft.architecture} onChange={({ target }) => change({ architecture: target.value })}>
              {architectures.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Seed" hint="The same seed and settings give the same weights." fault={fault('seed')}>
          {(joined) => <input {...joined} className="field" type="number" min={0} required value={draft.seed} onChange={({ target }) => change({ seed: target.value })} />}
        </Field>
        <Field label={configLabel} hint={configHint} fault={config.fault ?? fault('config')}>
          {(joined) => <textarea {...joined} className="field mono" rows={3} value={draft.config} onChange={({ target }) => change({ config: target.value })} />}
        </Field>
        <FormFault error={begin.error} fields={fields} />
        <DialogButtons pending={begin.isPending} doing="Starting…" blocked={config.fault !== null} onClose={onClose}>
          Train
        </DialogButtons>
      </form>
    </Dialog>
  )
}
