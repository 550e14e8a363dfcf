import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import { api, take } from '../../../shared/api/client'
import type { Dataset, LakePart } from '../../../shared/api/types'
import { bytes, count, plural, when } from '../../../shared/format/numbers'
import { Table } from '../../../shared/lists/table'
import { FormDialog } from '../../../shared/ui/form-dialog'
import { Failure, Skeleton } from '../../../shared/ui/messages'
import { partsQuery } from './queries'

const sources = { archive: 'images', manifest: 'manifest' } as const

/** What came together, the newest first. */
export function PartsPanel({ dataset }: { dataset: Dataset }) {
  const parts = useInfiniteQuery(partsQuery(dataset.name))
  const builds = useMay('build', dataset.project)
  const [leaving, setLeaving] = useState<LakePart | null>(null)
  if (parts.isPending) return <Skeleton height={120} />
  if (!parts.data) return <Failure what="The parts could not be loaded" error={parts.error} retry={() => void parts.refetch()} />
  const rows = parts.data.pages.flatMap(({ results }) => results)
  const removing = builds ? [{ name: 'Remove', silent: true } as const] : []
  return (
    <section className="stack" aria-labelledby="lake-parts">
      <h2 id="lake-parts">Parts</h2>
      <Table
        caption="Parts of the lake, newest first"
        columns={['Part', 'From', { name: 'Frames', number: true }, { name: 'Bytes', number: true }, 'Keys', 'Metadata', 'By', 'When', ...removing]}
      >
        {rows.map((part) => (
          <tr key={part.id}>
            <th scope="row">{part.id}</th>
            <td>{sources[part.source]}</td>
            <td className="number">{count(part.frames)}</td>
            <td className="number">{bytes(part.bytes)}</td>
            <td className="mono small lake-keys">
              {part.first} to {part.last}
            </td>
            <td>{Object.keys(part.columns).join(', ') || '–'}</td>
            <td>{part.by}</td>
            <td className="quiet">{when(part.created)}</td>
            {builds && (
              <td>
                <button type="button" className="button little" onClick={() => setLeaving(part)}>
                  Remove<span className="visually-hidden"> part {part.id}</span>
                </button>
              </td>
            )}
          </tr>
        ))}
      </Table>
      {parts.hasNextPage && (
        <button type="button" className="button" disabled={parts.isFetchingNextPage} onClick={() => void parts.fetchNextPage()}>
          Show more
        </button>
      )}
      {leaving && <RemoveDialog dataset={dataset} part={leaving} onClose={() => setLeaving(null)} />}
    </section>
  )
}

function RemoveDialog({ dataset, part, onClose }: { dataset: Dataset; part: LakePart; onClose: () => void }) {
  const remove = useMutation({
    mutationFn: () => take(api.DELETE('/datasets/{reference}/lake/parts/{id}', { params: { path: { reference: dataset.name, id: part.id } } })),
    meta: { renews: [['datasets']] },
    onSuccess: onClose,
  })
  return (
    <FormDialog title={`Remove part ${part.id}`} onClose={onClose} sending={remove} onSend={() => remove.mutate()} action="Remove the part" doing="Removing…">
      <p>
        {plural(part.frames, 'frame leaves', 'frames leave')} the lake. Those that are samples of the dataset by now stay samples; the bytes of the others are collected.
      </p>
    </FormDialog>
  )
}
