import { useState } from 'react'

import { useRights } from '../access/use-may'
import { projectsList } from '../api/lists'
import { PickField } from '../picking/pick-field'
import { useProjects } from './picked'

export interface ProjectChoice {
  /** '' while none is chosen. */
  value: string
  choose: (project: string) => void
  /** False where there is one project, and nothing to choose. */
  several: boolean
  /** What is sent of it: nothing where nobody is asked. */
  part: { project?: string }
}

/** Where something new belongs: what is chosen, else what is proposed, the picked project, or the only one in which somebody may build. */
export function useProjectChoice(proposed?: string): ProjectChoice {
  const [chosen, choose] = useState<string | null>(null)
  const may = useRights()
  const { theirs, several, picked } = useProjects()
  if (!several) return { value: '', choose, several, part: {} }
  const builds = theirs.filter((name) => may('build', name))
  const first = [proposed, picked].find((name) => typeof name === 'string' && may('build', name)) ?? (builds.length === 1 ? builds[0] : '')
  const value = chosen ?? first ?? ''
  return { value, choose, several, part: value === '' ? {} : { project: value } }
}

/** The field of it; nothing where there is nothing to choose. */
export function ProjectField({ choice: { value, choose, several } }: { choice: ProjectChoice }) {
  const may = useRights()
  if (!several) return null
  return (
    <PickField
      name="project"
      label="Project"
      hint="Its members can see it."
      placeholder="choose a project"
      required
      source={(q) => projectsList({ q })}
      choices={({ name }) => (may('build', name) ? [{ value: name }] : [])}
      value={value}
      onChange={choose}
    />
  )
}
