import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import type { Project } from '../../shared/api/types'
import { pickProject, usePicked } from '../../shared/project-choice/picked'
import { TextArea, TextField } from '../../shared/ui/fields'
import { FormDialog } from '../../shared/ui/form-dialog'
import { standings } from './queries'

interface ProjectDialogProps {
  /** What is changed; without it, a new one is made. */
  project?: Project
  onSaved: (project: Project) => void
  onClose: () => void
}

/** The name and the description of a project. */
export function ProjectDialog({ project, onSaved, onClose }: ProjectDialogProps) {
  const [name, setName] = useState(project?.name ?? '')
  const [description, setDescription] = useState(project?.description ?? '')
  const picked = usePicked()
  const body = { name: name.trim(), description: description.trim() }
  const save = useMutation({
    mutationFn: () =>
      project === undefined
        ? take(api.POST('/projects', { body }))
        : take(api.PATCH('/projects/{reference}', { params: { path: { reference: String(project.id) } }, body })),
    meta: { renews: [...standings, ['datasets'], ['models']] },
    onSuccess: (saved) => {
      if (project !== undefined && picked === project.name) pickProject(saved.name)
      onClose()
      onSaved(saved)
    },
  })
  return (
    <FormDialog
      title={project === undefined ? 'New project' : `Change the project ${project.name}`}
      onClose={onClose}
      sending={save}
      action={project === undefined ? 'Create the project' : 'Save'}
      doing="Saving…"
    >
      <TextField name="name" label="Name" hint="Letters, digits, and . _ - between them." required maxLength={100} autoComplete="off" spellCheck={false} value={name} onChange={setName} />
      <TextArea name="description" label="Description" hint="What it is about." rows={3} maxLength={2000} value={description} onChange={setDescription} />
    </FormDialog>
  )
}
