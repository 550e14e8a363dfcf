import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import type { Dataset, Version } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { TextField } from '../../../shared/ui/fields'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { toast } from '../../../shared/ui/toast-store'
import { commitRevert, whenCommitted } from '../../../shared/edits/edits'

interface RevertDialogProps {
  dataset: Dataset
  version: Version
  onClose: () => void
}

/** Takes back what a version changed, by one more commit. */
export function RevertDialog({ dataset, version, onClose }: RevertDialogProps) {
  const [message, setMessage] = useState('')
  const [job, setJob] = useState(false)
  const changed = version.added + version.updated + version.removed
  const sending = useMutation({
    mutationFn: async () => whenCommitted(await commitRevert(dataset.name, version.version, message.trim()), () => setJob(true)),
    meta: { renews: [['datasets']] },
    onSuccess: (commit) => {
      onClose()
      toast('plain', `v${version.version} is reverted, in v${commit.version}.`)
    },
    onError: () => setJob(false),
  })
  return (
    <FormDialog title={`Revert v${version.version}`} onClose={onClose} sending={sending} action={`Revert ${plural(changed, 'sample')}`} doing={job ? 'A job is reverting them…' : 'Committing…'}>
      <p>
        A new version makes {plural(changed, 'sample')} what {changed === 1 ? 'it was' : 'they were'} in v{version.parent}: labels with who gave them, splits, tags, and samples that were removed.
        If one of them changed again since, nothing is reverted.
      </p>
      {version.added > 0 && (
        <p>
          It removes {plural(version.added, 'sample')} that v{version.version} added.
        </p>
      )}
      <TextField name="message" label="Message" hint={`Without one it says “Revert version ${version.version}”.`} maxLength={500} value={message} onChange={setMessage} />
    </FormDialog>
  )
}
