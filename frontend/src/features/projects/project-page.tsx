import '../../shared/ui/form.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Pencil, UserPlus } from 'lucide-react'
import { useState } from 'react'

import { useRights } from '../../shared/access/use-may'
import { sessionQuery } from '../../shared/api/queries'
import type { Project } from '../../shared/api/types'
import { ListFrame } from '../../shared/lists/list-frame'
import { useList } from '../../shared/lists/pages'
import { SearchBox } from '../../shared/lists/search-box'
import { projectQuery } from '../../shared/project-choice/queries'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { AddMemberDialog } from './add-member-dialog'
import { DeleteProjectDialog } from './delete-dialog'
import { MemberTable } from './member-table'
import { ProjectDialog } from './project-dialog'
import { membersList } from './queries'

export function ProjectPage() {
  const { project: name } = useParams({ from: '/inside/settings/projects/$project' })
  const project = useQuery(projectQuery(name))
  if (project.data) return <OneProject key={project.data.id} project={project.data} />
  return (
    <div className="page" aria-busy={project.isPending}>
      {project.isPending ? (
        <Skeleton height={160} />
      ) : (
        <Failure
          what={`The project “${name}” could not be loaded`}
          error={project.error}
          retry={() => void project.refetch()}
          elsewhere={<Link to="/settings/projects" className="button">To the projects</Link>}
        />
      )}
    </div>
  )
}

/** Who is in a project, and as what: its owners change it, the others look. */
function OneProject({ project }: { project: Project }) {
  const { name, description } = project
  const [open, setOpen] = useState<'add' | 'change' | 'delete' | null>(null)
  const close = () => setOpen(null)
  const navigate = useNavigate()
  const may = useRights()
  const me = useQuery(sessionQuery).data?.user
  const owns = may('own', name)
  const { q } = useSearch({ from: '/inside/settings/projects/$project' })
  const reading = useList(membersList(name, { q }))
  const shown = reading.rows ?? []
  const add = owns && (
    <button type="button" className="button primary" onClick={() => setOpen('add')}>
      <UserPlus size={14} aria-hidden />
      Add somebody
    </button>
  )
  return (
    <ListFrame
      title={name}
      noun="members"
      reading={reading}
      filters={
        <>
          <span className="quiet">{description}</span>
          <SearchBox label="Search members by name or role" placeholder="Name, role" />
        </>
      }
      action={
        <>
          <Link to="/settings/projects" className="button">
            All projects
          </Link>
          {owns && (
            <button type="button" className="button" onClick={() => setOpen('change')}>
              <Pencil size={14} aria-hidden />
              Change…
            </button>
          )}
          {may('administer') && (
            <button type="button" className="button" onClick={() => setOpen('delete')}>
              Delete…
            </button>
          )}
          {add}
        </>
      }
      empty={<Empty>Nobody is in this project yet. Owners of the platform are in every project, and not listed.</Empty>}
      table={<MemberTable project={name} members={shown} me={me?.id} owns={owns} />}
    >
      {open === 'add' && <AddMemberDialog project={name} onClose={close} />}
      {open === 'change' && (
        <ProjectDialog project={project} onClose={close} onSaved={(saved) => void navigate({ to: '/settings/projects/$project', params: { project: saved.name }, replace: true })} />
      )}
      {open === 'delete' && <DeleteProjectDialog project={project} onClose={close} onDeleted={() => void navigate({ to: '/settings/projects' })} />}
    </ListFrame>
  )
}
