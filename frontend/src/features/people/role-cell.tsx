import { Link } from '@tanstack/react-router'

import { ownsPlatform, roles, roleWords } from '../../shared/access/roles'
import type { Person, Role } from '../../shared/access/types'
import { useProjects } from '../../shared/project-choice/picked'

/** A role in a project; without one, that of an owner of the platform or, where there is one project, a role in that. */
export interface RoleChange {
  role: Role
  project?: string
}

/** Of an owner of a project, beside the owners of the platform, who are `owner`. */
const ownerHere = 'owner-here'

interface RoleCellProps {
  person: Person
  /** A change is being saved. */
  busy: boolean
  onChange: (change: RoleChange) => void
}

/** What somebody may do, to be changed here as far as it is one role; roles in several projects are changed in those. */
export function RoleCell({ person, busy, onChange }: RoleCellProps) {
  const { several } = useProjects()
  const { username, projects } = person
  const [only, ...more] = projects
  if (more.length > 0 || (several && only === undefined && !ownsPlatform(person))) return <Standings projects={projects} />
  const choose = (chosen: string) => {
    const role = chosen === ownerHere ? 'owner' : (chosen as Role)
    // An owner of the platform is made and unmade without a project.
    onChange(chosen === 'owner' || only === undefined || !several ? { role } : { role, project: only.project })
  }
  if (!person.active) return <span className="quiet">{ownsPlatform(person) ? roleWords.owner : only === undefined ? 'none' : roleWords[only.role]}</span>
  const value = ownsPlatform(person) ? 'owner' : only === undefined ? '' : only.role === 'owner' ? ownerHere : only.role
  return (
    <span className="row">
      <select className="field" aria-label={`Role of ${username}`} value={value} disabled={busy} onChange={({ target }) => choose(target.value)}>
        {value === '' && <option value="">none</option>}
        {!person.service && <option value="owner">{several ? 'Owner of the platform' : roleWords.owner}</option>}
        {only && (several || value === ownerHere) && <option value={ownerHere}>Owner of {only.project}</option>}
        {roles
          .filter((role) => role !== 'owner')
          .map((role) => (
            <option key={role} value={role}>
              {roleWords[role]}
            </option>
          ))}
      </select>
      {several && only && (
        <span className="quiet">
          in <ProjectLink name={only.project} />
        </span>
      )}
    </span>
  )
}

function Standings({ projects }: Pick<Person, 'projects'>) {
  if (projects.length === 0) return <Link to="/settings/projects">in no project yet</Link>
  return projects.map(({ project, role }, place) => (
    <span key={project}>
      {place > 0 && ', '}
      {role} in <ProjectLink name={project} />
    </span>
  ))
}

function ProjectLink({ name }: { name: string }) {
  return (
    <Link to="/settings/projects/$project" params={{ project: name }}>
      {name}
    </Link>
  )
}
