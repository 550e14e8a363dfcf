import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import { when } from '../format/numbers'
import { Table } from '../lists/table'
import { usePicked } from '../project-choice/picked'
import { Failure, Skeleton } from '../ui/messages'
import { archivedQuery, type LifecycleKind, type Named, nouns } from './calls'
import { LifecycleMenu } from './lifecycle-menu'

const columns = ['Name', 'Archived', { name: 'Actions', silent: true }] as const

interface ArchivedListProps {
  kind: LifecycleKind
  /** The link to the thing's page. */
  link: (thing: Named) => ReactNode
}

/** Below a list: what is archived, once it is asked for. */
export function ArchivedList({ kind, link }: ArchivedListProps) {
  const [shown, setShown] = useState(false)
  return (
    <div className="stack">
      <span>
        <label className="row">
          <input type="checkbox" role="switch" checked={shown} onChange={(event) => setShown(event.target.checked)} />
          Show archived {nouns[kind]}s
        </label>
      </span>
      {shown && <Rows kind={kind} link={link} />}
    </div>
  )
}

function Rows({ kind, link }: ArchivedListProps) {
  const found = useQuery(archivedQuery(kind, usePicked()))
  if (found.isPending) return <Skeleton height={80} />
  if (!found.data) return <Failure what={`The archived ${nouns[kind]}s could not be loaded`} error={found.error} retry={() => void found.refetch()} />
  if (found.data.length === 0) return <p className="quiet">No {nouns[kind]} is archived.</p>
  return (
    <div className="panel">
      <Table caption={`Archived ${nouns[kind]}s`} columns={columns}>
        {found.data.map((thing) => (
          <tr key={thing.id}>
            <th scope="row">{link(thing)}</th>
            <td className="quiet">{thing.archived === null ? '–' : when(thing.archived)}</td>
            <td>
              <span className="row">
                <LifecycleMenu kind={kind} thing={thing} />
              </span>
            </td>
          </tr>
        ))}
      </Table>
    </div>
  )
}
