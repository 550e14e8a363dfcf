import { pickProject, useProjects } from '../shared/project-choice/picked'

/** Which project the lists are of; nothing where there is only one. */
export function ProjectPicker() {
  const { names, several, picked } = useProjects()
  if (!several) return null
  return (
    <select className="field project-picker" aria-label="Project" value={picked ?? ''} onChange={({ target }) => pickProject(target.value === '' ? null : target.value)}>
      <option value="">All projects</option>
      {names.map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  )
}
