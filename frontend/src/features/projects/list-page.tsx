import '../../shared/ui/form.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'

import { ownsPlatform } from '../../shared/access/roles'
import { useMay } from '../../shared/access/use-may'
import { projectsList } from '../../shared/api/lists'
import { sessionQuery } from '../../shared/api/queries'
import type { Project, Session } from '../../shared/api/types'
import { count, when } from '../../shared/format/numbers'
import { ListFrame } from '../../shared/lists/list-frame'
import { useList } from '../../shared/lists/pages'
import { SearchBox } from '../../shared/lists/search-box'
import { Table } from '../../shared/lists/table'
import { Empty } from '../../shared/ui/messages'
import { ProjectDialog } from './project-dialog'

const columns = ['Name', 'Description', { name: 'Members', number: true }, 'Your role', 'Created'] as const

/** The projects that somebody is in, and all for owners of the platform, who make new ones. */
export function ProjectsPage() {
  const [making, setMaking] = useState(false)
  const administers = useMay('administer')
  const me = useQuery(sessionQuery).data?.user
  const { q } = useSearch({ from: '/inside/settings/projects' })
  const reading = useList(projectsList({ q }))
  const navigate = useNavigate()
  return (
    <ListFrame
      title="Projects"
      noun="projects"
      about="A project holds datasets, models and all that is made of them, and says who may see and change them."
      reading={reading}
      filters={<SearchBox label="Search projects by name or description" placeholder="Name, description" />}
      action={
        administers && (
          <button type="button" className="button primary" onClick={() => setMaking(true)}>
            <Plus size={14} aria-hidden />
            New project
          </button>
        )
      }
      empty={<Empty>You are in no project yet. Ask an owner to add you to one.</Empty>}
      table={
        <Table caption="Projects" columns={columns}>
          {reading.rows?.map((project) => (
            <ProjectRow key={project.id} project={project} me={me} />
          ))}
        </Table>
      }
    >
      {making && <ProjectDialog onClose={() => setMaking(false)} onSaved={({ name }) => void navigate({ to: '/settings/projects/$project', params: { project: name } })} />}
    </ListFrame>
  )
}

function ProjectRow({ project: { name, description, members, created }, me }: { project: Project; me: Session['user'] | undefined }) {
  const mine = me && ownsPlatform(me) ? 'owner of the platform' : me?.projects.find(({ project }) => project === name)?.role
  return (
    <tr>
      <th scope="row">
        <Link to="/settings/projects/$project" params={{ project: name }} className="cut name" title={name}>
          {name}
        </Link>
      </th>
      <td className="quiet">{description}</td>
      <td className="number">{count(members)}</td>
      <td>{mine ?? '–'}</td>
      <td className="quiet">{when(created)}</td>
    </tr>
  )
}
