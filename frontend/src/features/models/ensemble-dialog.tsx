import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import type { Model, ModelVersion } from '../../shared/api/types'
import { refusalFor } from '../../shared/classes/learns-the-same'
import { DatasetField } from '../../shared/training/dataset-field'
import { VersionField } from '../../shared/training/version-field'
import { Check, TextArea } from '../../shared/ui/fields'
import { GroupFault } from '../../shared/ui/form'
import { FormDialog } from '../../shared/ui/form-dialog'
import { longestNotes } from '../../shared/ui/notes'
import { toast } from '../../shared/ui/toast-store'

interface EnsembleDialogProps {
  model: Model
  /** Those that may be members, the newest first. */
  versions: readonly ModelVersion[]
  /** Those that are ticked at first. */
  proposed: readonly number[]
  onClose: () => void
}

const mostMembers = 16

/** Makes one version of several: its file averages their probabilities, and is proved as any. */
export function EnsembleDialog({ model, versions, proposed, onClose }: EnsembleDialogProps) {
  const unknown = proposed.filter((number) => versions.every(({ version: one }) => one !== number))
  const [members, setMembers] = useState(proposed.filter((number) => !unknown.includes(number)))
  const [dataset, setDataset] = useState('')
  const [version, setVersion] = useState('head')
  const [notes, setNotes] = useState('')
  const navigate = useNavigate()
  const join = useMutation({
    mutationFn: () =>
      take(
        api.POST('/models/{model}/ensembles', {
          params: { path: { model: model.name } },
          body: { versions: [...members], version, notes, ...(dataset === '' ? {} : { dataset }) },
        }),
      ),
    meta: { renews: [['jobs'], ['models', model.name]] },
    onSuccess: ({ job }) => {
      toast('plain', `The ensemble of ${members.length} versions is queued`)
      onClose()
      void navigate({ to: '/jobs/$id', params: { id: String(job.id) } })
    },
  })
  const tick = (number: number) => setMembers(members.includes(number) ? members.filter((each) => each !== number) : [...members, number])
  return (
    <FormDialog
      title={`Join versions of ${model.name}`}
      onClose={onClose}
      sending={join}
      action={members.length < 2 ? 'Join' : `Join ${members.length} versions`}
      doing="Starting…"
      refusal={members.length < 2 || members.length > mostMembers ? `Tick 2 to ${mostMembers} versions.` : null}
    >
      <fieldset className="form-group">
        <legend>Members, 2 to {mostMembers}</legend>
        <div className="form-lines members">
          {versions.map(({ version: number, architecture, aliases }) => (
            <Check key={number} checked={members.includes(number)} onChange={() => tick(number)}>
              v{number} <span className="quiet">{[architecture, ...aliases].join(' · ')}</span>
            </Check>
          ))}
        </div>
        {unknown.length > 0 && <p role="alert">Not among the versions shown, and not ticked: {unknown.map((number) => `v${number}`).join(', ')}. Close this, show older versions and join again.</p>}
        <GroupFault name="versions" />
        <p className="quiet small">One ONNX file that averages their probabilities; it takes as long as all of them together.</p>
      </fieldset>
      <DatasetField
        right="read"
        everywhere
        first={[{ value: '', words: 'what the newest member was evaluated on' }]}
        refusal={(each) => refusalFor(model, each)}
        name="dataset"
        label="Prove and evaluate on"
        value={dataset}
        onChange={(chosen) => {
          setDataset(chosen)
          setVersion('head')
        }}
      />
      {dataset !== '' && <VersionField dataset={dataset} value={version} onChange={setVersion} />}
      <TextArea name="notes" label="Notes" hint="Optional." rows={2} maxLength={longestNotes} value={notes} onChange={setNotes} />
    </FormDialog>
  )
}
