import './audit.css'

import { Link, useSearch } from '@tanstack/react-router'
import { Download } from 'lucide-react'

import type { AuditEvent } from '../../shared/api/types'
import { capital, when } from '../../shared/format/numbers'
import { ListFrame } from '../../shared/lists/list-frame'
import { useList } from '../../shared/lists/pages'
import { SearchBox } from '../../shared/lists/search-box'
import { Table } from '../../shared/lists/table'
import { useProjects } from '../../shared/project-choice/picked'
import { Empty } from '../../shared/ui/messages'
import { ChangeCell } from './change-cell'
import { auditList, exportAddress } from './queries'

/** Who changed rights and rules, when, from where: of all projects for owners of the platform, else of those that somebody owns. */
export function AuditPage() {
  const search = useSearch({ from: '/inside/settings/audit' })
  const { several, picked } = useProjects()
  const reading = useList(auditList(search, picked))
  const shown = reading.rows ?? []
  return (
    <ListFrame
      title="Audit"
      noun="events"
      reading={reading}
      filters={<SearchBox label="Search events by person, action or name" placeholder="Person, action, name" />}
      action={
        shown.length > 0 && (
          <a href={exportAddress(search, picked)} className="button" title="All that fit, as JSON lines, the oldest first" download>
            <Download size={14} aria-hidden />
            Export
          </a>
        )
      }
      empty={<NoneYet />}
      table={
        <Table caption="Events, newest first" columns={['When', 'Who', 'What', ...(several ? ['Project'] : []), 'Change', 'Address']} className="audit">
          {shown.map((event) => (
            <EventRow key={event.id} event={event} several={several} />
          ))}
        </Table>
      }
    />
  )
}

function NoneYet() {
  return (
    <Empty>
      Nothing is written down yet. Here will be who changed members, roles, tokens, budgets, aliases and pipelines, and who renamed,
      archived or deleted something: when, from where, and what it was before.
    </Empty>
  )
}

function EventRow({ event, several }: { event: AuditEvent; several: boolean }) {
  const { created, who, token, address, action, kind, name, project } = event
  return (
    <tr>
      <td className="quiet audit-when">{when(created)}</td>
      <td>
        {who === '' ? (
          <span className="quiet">the platform</span>
        ) : (
          <span className="cut name" title={who}>
            {who}
          </span>
        )}
        {token !== '' && <p className="quiet small">token {token}</p>}
      </td>
      <th scope="row">
        {capital(action)}
        <p className="quiet small cut name" title={name}>
          {kind} {name}
        </p>
      </th>
      {several && <td>{project === null ? '–' : <ProjectLink name={project} />}</td>}
      <td className="audit-change">
        <ChangeCell event={event} />
      </td>
      <td className="quiet audit-address">{address === '' ? '–' : address}</td>
    </tr>
  )
}

function ProjectLink({ name }: { name: string }) {
  return (
    <Link to="/settings/projects/$project" params={{ project: name }} className="cut name" title={name}>
      {name}
    </Link>
  )
}
