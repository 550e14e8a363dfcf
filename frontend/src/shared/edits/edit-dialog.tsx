import './edits.css'

import { useMutation, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import type { Commit, Dataset, EditPreview } from '../api/types'
import { plural } from '../format/numbers'
import { JobProgress } from '../live/job-progress'
import { TextField } from '../ui/fields'
import { FormDialog } from '../ui/form-dialog'
import { Dialog } from '../ui/dialog'
import { Skeleton } from '../ui/messages'
import { explain } from '../api/errors'
import { useSettled } from '../live/use-settled'
import { commitEdit, type Edit, previewQuery, type Target, whenCommitted } from './edits'
import { PreviewFacts } from './preview-facts'

/** What every dialog that changes samples needs. */
export interface ChangeProps {
  dataset: Dataset
  target: Target
  onClose: () => void
  /** Tells of the commit; `final` where nothing brings it back. */
  onDone: (words: string, commit: Commit, final?: boolean) => void
}

interface EditDialogProps extends ChangeProps {
  title: string
  /** What is to become of the samples; null until that is chosen. */
  edit: Edit | null
  /** On the button, with how many will change: `Relabel 12 samples`. */
  verb: string
  /** What was done, in the past: `relabelled as cat`. */
  done: string
  /** Nothing brings it back. */
  final?: boolean
  children?: ReactNode
}

const settling = 200

/** Says how many samples would change, from what, asks for a message, and commits. */
export function EditDialog({ dataset, target, title, edit, verb, done, final = false, children, onClose, onDone }: EditDialogProps) {
  const [message, setMessage] = useState('')
  const [job, setJob] = useState<number | null>(null)
  const settled = useSettled(edit, settling)
  const wanted = settled !== null && edit !== null && JSON.stringify(settled) === JSON.stringify(edit)
  const preview = useQuery({ ...previewQuery(dataset.name, dataset.head, target, settled ?? {}), enabled: wanted })
  const told = wanted ? preview.data : undefined
  const sending = useMutation({
    mutationFn: async ({ what, parent }: { what: Edit; parent: number }) =>
      whenCommitted(await commitEdit(dataset.name, target, what, { message: message.trim(), parent }), setJob),
    meta: { renews: [['datasets']] },
    onSuccess: (commit) => {
      onClose()
      onDone(resultWords(commit, done), commit, final)
    },
    // Somebody may have committed since: what the dialog says is read again.
    onError: () => {
      setJob(null)
      void preview.refetch()
    },
  })
  if (job !== null) {
    return (
      <Dialog title={title} onClose={onClose}>
        <JobProgress id={job} what="The change" safe="Nothing was changed.">
          {() => <p className="quiet">Reading the result…</p>}
        </JobProgress>
        <p className="quiet small">You can close this: the job continues, and the Jobs page shows it.</p>
      </Dialog>
    )
  }
  return (
    <FormDialog
      title={title}
      onClose={onClose}
      sending={{ error: sending.error, isPending: sending.isPending }}
      onSend={() => told && edit && sending.mutate({ what: edit, parent: told.version })}
      action={told ? `${verb} ${plural(told.changed, 'sample')}` : verb}
      doing="Committing…"
      refusal={refusalOf(edit, told, wanted ? preview.error : null)}
    >
      {children}
      <div className="edit-facts" aria-live="polite" aria-busy={wanted && preview.isFetching}>
        <Facts preview={told} error={wanted ? preview.error : null} target={target} edit={edit} />
      </div>
      <TextField name="message" label="Message" hint="Optional note for the version list." maxLength={500} value={message} onChange={setMessage} />
    </FormDialog>
  )
}

/** Why nothing can be committed yet; null where it can. */
function refusalOf(edit: Edit | null, told: EditPreview | undefined, error: unknown): string | null {
  if (edit === null) return 'Choose first what to change.'
  if (told) return told.changed === 0 ? 'Nothing would change.' : null
  return error === null ? 'Wait until the dialog says how many samples would change.' : 'What would change is not known.'
}

interface FactsProps {
  preview: EditPreview | undefined
  error: unknown
  edit: Edit | null
  target: Target
}

function Facts({ preview, error, edit, target }: FactsProps) {
  if (edit === null) return <p className="quiet">{plural(target.count, 'sample')} selected.</p>
  if (error !== null && !preview) return <p className="form-fault">{explain(error)}</p>
  return preview ? <PreviewFacts preview={preview} selected={target.count} edit={edit} /> : <Skeleton height={44} />
}

/** `12 samples relabelled as cat. 3 were so already.` */
export function resultWords({ updated, added, removed, unchanged, rejected, version, parent }: Commit, done: string): string {
  const first = version === parent ? 'Nothing changed.' : `${plural(updated + added + removed, 'sample')} ${done}, in version ${version}.`
  const same = unchanged > 0 ? ` ${plural(unchanged, 'was', 'were')} so already.` : ''
  const refused = rejected.length > 0 ? ` ${plural(rejected.length, 'sample')} could not be changed: ${rejected[0]?.detail}.` : ''
  return first + same + refused
}
