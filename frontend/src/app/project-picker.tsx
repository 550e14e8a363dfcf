import { projectsList } from '../shared/api/lists'
import { Picker } from '../shared/picking/picker'
import { pickProject, usePicked } from '../shared/project-choice/picked'

const all = [{ value: '', words: 'All projects' }]

/** Which project the lists are of. */
export default function ProjectPicker() {
  return (
    <Picker
      className="project-picker"
      aria-label="Project"
      first={all}
      source={(q) => projectsList({ q })}
      choices={({ name }) => [{ value: name }]}
      value={usePicked() ?? ''}
      onChange={(name) => pickProject(name === '' ? null : name)}
    />
  )
}
