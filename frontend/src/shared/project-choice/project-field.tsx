import { useState } from 'react'

import { useRights } from '../access/use-may'
import { SelectField } from '../ui/fields'
import { FirstOption } from '../ui/first-option'
import { useProjects } from './picked'

export interface ProjectChoice {
  /** '' while none is chosen. */
  value: string
  choose: (project: string) => void
  /** Those in which whoever asks may build; null where there is one project, and nothing to choose. */
  among: readonly string[] | null
  /** What is sent of it: nothing where nobody is asked. */
  part: { project?: string }
}

/** Where something new belongs: what is chosen, else what is proposed, the picked project, or the only one in which somebody may build. */
export function useProjectChoice(proposed?: string): ProjectChoice {
  const [chosen, choose] = useState<string | null>(null)
  const may = useRights()
  const { names, several, picked } = useProjects()
  const among = names.filter((name) => may('build', name))
  if (!several) return { value: '', choose, among: null, part: {} }
  const first = [proposed, picked].find((name) => typeof name === 'string' && among.includes(name)) ?? (among.length === 1 ? among[0] : '')
  const value = chosen ?? first ?? ''
  return { value, choose, among, part: value === '' ? {} : { project: value } }
}

/** The field of it; nothing where there is nothing to choose. */
export function ProjectField({ choice: { value, choose, among } }: { choice: ProjectChoice }) {
  return among === null ? null : (
    <SelectField name="project" label="Project" hint="Its members can see it." required value={value} onChange={choose} options={among}>
      <FirstOption noun="project" among={among} />
    </SelectField>
  )
}
