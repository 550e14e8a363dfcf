import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import type { VersionLineage } from '../../shared/api/types'
import { count } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { Chip } from '../../shared/ui/chip'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { versionLineageQuery } from './queries'
import { VersionReference } from './version-reference'

const data = ['Relation', 'Dataset', 'Split', { name: 'Samples', number: true }, 'By'] as const
const relatives = ['Relation', 'Version', 'How', 'Aliases'] as const

/** All that a version learned from and was judged by, and every version before and after it, to any depth. */
export default function LineageTable({ model, version }: { model: string; version: number }) {
  const lineage = useQuery(versionLineageQuery(model, version))
  if (lineage.isPending) return <Skeleton height={120} />
  if (!lineage.data) return <Failure what="The lineage could not be loaded" error={lineage.error} retry={() => void lineage.refetch()} />
  return <Tables lineage={lineage.data} />
}

function Tables({ lineage }: { lineage: VersionLineage }) {
  const { learned_from: learned, judged_by: judged, parents, descendants, runs, hidden } = lineage
  const own = `${lineage.model}@${lineage.version}`
  const unseen = hidden.parents + hidden.descendants
  return (
    <div className="stack">
      {learned.length + judged.length > 0 && (
        <Table caption="What it learned from and was judged by" columns={data} className="tight">
          {learned.map((row) => (
            <Data key={`${row.run}`} relation="learned from" row={{ ...row, split: 'train' }} by={row.by === own ? null : row.by} />
          ))}
          {judged.map((row) => (
            <Data key={row.split} relation={row.split === 'train' ? 'proved on' : 'judged by'} row={row} by={null} />
          ))}
        </Table>
      )}
      {learned.some(({ erased }) => erased > 0) && (
        <p className="quiet small">Samples were erased since from {learned.filter(({ erased }) => erased > 0).map((row) => `${row.dataset} v${row.dataset_version} (${count(row.erased)})`).join(', ')}.</p>
      )}
      {parents.length + descendants.length + runs.length > 0 && (
        <Table caption="Versions that it carries on, and that carry it on" columns={relatives} className="tight">
          {parents.map((row) => (
            <Relative key={`p ${row.model} ${row.version} ${row.of}`} relation="before" row={row} words={row.of === own ? row.how : `${row.how}, of ${row.of}`} />
          ))}
          {descendants.map((row) => (
            <Relative key={`d ${row.model} ${row.version} ${row.of}`} relation="after" row={row} words={row.of === own ? row.how : `${row.how}, of ${row.of}`} />
          ))}
          {runs.map(({ id, state, of }) => (
            <tr key={`run ${id}`}>
              <td>after</td>
              <th scope="row">
                <Link to="/runs/$id" params={{ id: String(id) }}>
                  Run {id}
                </Link>
              </th>
              <td>
                started from{of === own ? '' : ` ${of}`}, {state}
              </td>
              <td />
            </tr>
          ))}
        </Table>
      )}
      {unseen > 0 && (
        <p className="quiet small">
          {count(unseen)} more {unseen === 1 ? 'is' : 'are'} in projects that you may not see.
        </p>
      )}
    </div>
  )
}

interface DataProps {
  relation: string
  row: { dataset: string; dataset_version: number; split: string; samples: number | null }
  /** The version whose run read it, if that is another one. */
  by: string | null
}

function Data({ relation, row, by }: DataProps) {
  return (
    <tr>
      <td>{relation}</td>
      <th scope="row">
        <Link to="/datasets/$id" params={{ id: row.dataset }} search={{ v: row.dataset_version }}>
          {row.dataset} v{row.dataset_version}
        </Link>
      </th>
      <td>{row.split}</td>
      <td className="number">{row.samples === null ? 'not known' : count(row.samples)}</td>
      <td>{by === null ? 'this version' : <VersionReference name={by} />}</td>
    </tr>
  )
}

function Relative({ relation, row, words }: { relation: string; row: VersionLineage['parents'][number]; words: string }) {
  return (
    <tr>
      <td>{relation}</td>
      <th scope="row">
        <VersionReference name={`${row.model}@${row.version}`} />
      </th>
      <td>{words}</td>
      <td>
        {row.aliases.map((alias) => (
          <Chip key={alias} tone="ok">
            {alias}
          </Chip>
        ))}
      </td>
    </tr>
  )
}
