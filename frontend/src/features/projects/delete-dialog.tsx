import { useMutation } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import type { Project } from '../../shared/api/types'
import { plural } from '../../shared/format/numbers'
import { FormDialog } from '../../shared/ui/form-dialog'
import { toast } from '../../shared/ui/toast-store'
import { standings } from './queries'

interface DeleteProjectDialogProps {
  project: Project
  onDeleted: () => void
  onClose: () => void
}

/** Asks before a project ends; one that holds or held anything stays, and the server says so. */
export function DeleteProjectDialog({ project: { id, name, members }, onDeleted, onClose }: DeleteProjectDialogProps) {
  const remove = useMutation({
    mutationFn: () => take(api.DELETE('/projects/{reference}', { params: { path: { reference: String(id) } } })),
    meta: { renews: standings },
    onSuccess: () => {
      toast('plain', `The project ${name} is deleted`)
      onClose()
      onDeleted()
    },
  })
  return (
    <FormDialog title={`Delete the project ${name}?`} onClose={onClose} className="stack wide-gap" sending={remove} action="Delete the project" doing="Deleting…">
      <p>
        {members > 0 && `${plural(members, 'person loses', 'people lose')} their role in it; they stay on the platform. `}
        Only a project in which nothing was ever made can be deleted.
      </p>
    </FormDialog>
  )
}
