import { type ReactNode, useState } from 'react'

import { when } from '../format/numbers'
import { MoreRows } from '../lists/more-rows'
import { useList } from '../lists/pages'
import { Table } from '../lists/table'
import { useSettled } from '../live/use-settled'
import { usePicked } from '../project-choice/picked'
import { Failure, Skeleton } from '../ui/messages'
import { archivedList, type LifecycleKind, type Named, nouns } from './calls'
import { LifecycleMenu } from './lifecycle-menu'

const settles = 250
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
  const [typed, setTyped] = useState('')
  const q = useSettled(typed.trim(), settles)
  const reading = useList(archivedList(kind, usePicked(), { q }))
  const { rows, error, retry, more } = reading
  const noun = `archived ${nouns[kind]}s`
  if (!rows) return error === null ? <Skeleton height={80} /> : <Failure what={`The ${noun} could not be loaded`} error={error} retry={retry} />
  const isLong = more !== null || typed !== ''
  if (rows.length === 0 && !isLong) return <p className="quiet">No {nouns[kind]} is archived.</p>
  return (
    <>
      {isLong && (
        <search>
          <input className="field" type="search" aria-label={`Search ${noun}`} placeholder={`Search ${noun}`} value={typed} onChange={({ target }) => setTyped(target.value)} />
        </search>
      )}
      {rows.length === 0 && <p className="quiet">No {noun} match the search.</p>}
      {rows.length > 0 && (
        <div className="panel">
          <Table caption={`Archived ${nouns[kind]}s`} columns={columns}>
            {rows.map((thing) => (
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
      )}
      <MoreRows noun={noun} reading={reading} />
    </>
  )
}
