import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'

import { useFormUpload } from '../api/use-form-upload'
import { bytes } from '../format/numbers'
import { JobProgress } from '../live/job-progress'
import { Dialog } from '../ui/dialog'
import type { Faults } from '../ui/form'
import { FormDialog } from '../ui/form-dialog'
import { Progress } from '../ui/progress'

interface UploadDialogProps<Made> {
  title: string
  path: string
  renews: readonly (readonly string[])[]
  /** What is sent. */
  form: () => FormData
  /** On the button. */
  action: string
  faults?: Faults
  onMade: (made: Made) => void
  onClose: () => void
  /** What is said once a long check has ended well. */
  made: string
  children: ReactNode
}

/** A form with ONNX files: sent, then checked by the platform, in this request or by a job. */
export function UploadDialog<Made extends object>({ title, path, renews, form, action, faults = {}, onMade, onClose, made, children }: UploadDialogProps<Made>) {
  const { sending, progress, job } = useFormUpload<Made>({ path, renews, onMade })
  const isSent = progress !== null && progress.sent === progress.total
  if (job !== null) return <CheckDialog title={title} job={job} what="The check" made={made} renews={renews} onClose={onClose} />
  return (
    <FormDialog title={title} wide onClose={onClose} sending={sending} onSend={() => sending.mutate(form())} faults={faults} action={action} doing={isSent ? 'Checking…' : 'Sending…'}>
      {children}
      {sending.isPending && progress && (
        <div className="stack">
          <Progress done={progress.sent} total={progress.total} label="Sent" />
          <p className="quiet small" role="status">
            {isSent ? 'Everything is sent; the platform runs it once, also if you close this.' : `${bytes(progress.sent)} of ${bytes(progress.total)} sent. Closing this stops the upload.`}
          </p>
        </div>
      )}
    </FormDialog>
  )
}

interface CheckDialogProps {
  title: string
  job: number
  /** What the job does. */
  what: string
  made: string
  renews: readonly (readonly string[])[]
  onClose: () => void
}

/** How far a job is that looks through files of a network, and what came of it. */
export function CheckDialog({ title, job, what, made, renews, onClose }: CheckDialogProps) {
  return (
    <Dialog onClose={onClose} title={title}>
      <JobProgress id={job} what={what} safe="Nothing was registered. Close this to change the file or what you said of it.">
        {() => <Registered words={made} renews={renews} onClose={onClose} />}
      </JobProgress>
    </Dialog>
  )
}

function Registered({ words, renews, onClose }: { words: string; renews: readonly (readonly string[])[]; onClose: () => void }) {
  const client = useQueryClient()
  useEffect(() => {
    for (const queryKey of renews) void client.invalidateQueries({ queryKey })
  }, [client, renews])
  return (
    <div className="stack">
      <p role="status">{words}</p>
      <div className="row">
        <button type="button" className="button primary" onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  )
}
