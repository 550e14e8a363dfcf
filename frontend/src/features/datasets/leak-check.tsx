import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import { api, take } from '../../shared/api/client'
import type { Dataset, JobDetail } from '../../shared/api/types'
import { count, plural } from '../../shared/format/numbers'
import { CancelJob } from '../../shared/live/cancel-job'
import { JobProgress } from '../../shared/live/job-progress'
import { useLive } from '../../shared/live/use-live'
import { TextField } from '../../shared/ui/fields'
import { FormDialog } from '../../shared/ui/form-dialog'
import { RefusableButton } from '../../shared/ui/refusable-button'
import { ModelVersionField } from './model-version-field'

/** Looks for samples outside test that a model can hardly tell from test samples; what it finds is among the pairs below. */
export function LeakCheck({ id, dataset }: { id: string; dataset: Dataset }) {
  const { check } = useSearch({ from: '/inside/datasets/$id/near-duplicates' })
  const navigate = useNavigate({ from: '/datasets/$id/near-duplicates' })
  const [asking, setAsking] = useState(false)
  const mayBuild = useMay('build', dataset.project)
  return (
    <>
      {check !== undefined && <Check key={check} id={id} job={check} />}
      {mayBuild && (
        <div>
          <RefusableButton className="button" refusal={dataset.head === null ? 'There are no images yet: add files first.' : null} onClick={() => setAsking(true)}>
            Look for leaks with a model…
          </RefusableButton>
        </div>
      )}
      {asking && (
        <LeakCheckDialog
          dataset={dataset}
          onClose={() => setAsking(false)}
          onStarted={(job) => {
            setAsking(false)
            void navigate({ search: { check: job }, replace: true })
          }}
        />
      )}
    </>
  )
}

function Check({ id, job }: { id: string; job: number }) {
  const state = useLive(job).data?.state
  return (
    <section className="panel panel-body stack" aria-labelledby="leak-check">
      <h2 id="leak-check">Leak check</h2>
      <JobProgress id={job} what="The leak check" safe="The near-duplicates are as they were.">
        {(done) => <Found id={id} job={done} />}
      </JobProgress>
      {(state === 'queued' || state === 'running') && (
        <div>
          <CancelJob job={{ id: job, title: 'The leak check' }} />
        </div>
      )}
    </section>
  )
}

function Found({ id, job }: { id: string; job: JobDetail }) {
  const result = job.result ?? {}
  const client = useQueryClient()
  useEffect(() => void client.invalidateQueries({ queryKey: ['datasets', id, 'near-duplicates'] }), [client, id])
  const [found, others, tests, unscored] = ['found', 'others', 'tests', 'unscored'].map((name) => Number(result[name] ?? 0)) as [number, number, number, number]
  return (
    <p role="status">
      {String(result.model)} compared {plural(others, 'sample')} of v{String(result.version)} with {plural(tests, 'test sample')}:{' '}
      {found === 0 ? 'none is' : found === 1 ? '1 is' : `${count(found)} are`} as alike as {String(result.threshold)} or more
      {found > 0 && `; ${found === 1 ? 'it is' : 'they are'} among those below, as found by ${String(result.model)}`}.
      {unscored > 0 && ` ${plural(unscored, 'sample')} could not be scored.`}
    </p>
  )
}

interface LeakCheckDialogProps {
  dataset: Dataset
  onClose: () => void
  onStarted: (job: number) => void
}

function LeakCheckDialog({ dataset, onClose, onStarted }: LeakCheckDialogProps) {
  const [model, setModel] = useState('')
  const [threshold, setThreshold] = useState('0.98')
  const start = useMutation({
    mutationFn: () => take(api.POST('/datasets/{reference}/leak-checks', { params: { path: { reference: dataset.name } }, body: { model, threshold: Number(threshold), version: 'head' } })),
    meta: { renews: [['jobs']] },
    onSuccess: ({ job }) => onStarted(job.id),
  })
  return (
    <FormDialog title="Look for leaks" onClose={onClose} sending={start} action="Look for leaks" doing="Starting…">
      <p>What pixels do not show, a model may see: samples outside test that it can hardly tell from test samples. Those of the pool are kept out of train; of those in train, you decide.</p>
      <ModelVersionField dataset={dataset} name="model" label="Model" hint="One of the classes of this dataset." placeholder="choose a model" required value={model} onChange={setModel} />
      <TextField
        name="threshold"
        label="Least likeness"
        hint="The cosine of two embeddings, from 0.5 to 1: 0.98 finds what is nearly the same."
        inputMode="decimal"
        required
        value={threshold}
        onChange={setThreshold}
      />
    </FormDialog>
  )
}
