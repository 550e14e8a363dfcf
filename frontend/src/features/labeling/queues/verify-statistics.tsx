import { useQuery } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import type { Queue, QueueStatistics } from '../../../shared/api/types'
import { count, plural } from '../../../shared/format/numbers'
import { Failure, Skeleton } from '../../../shared/ui/messages'

const columns = ['asked', 'kept', 'moved', 'reclassed', 'removed', 'missing'] as const
const titles = { asked: 'Asked', kept: 'Kept', moved: 'Moved', reclassed: 'Reclassed', removed: 'Removed', missing: 'Missing' }

type Row = Omit<QueueStatistics['by_class'][number], 'drawn'>

/** What people made of the suggested shapes, and the seconds of verifying one against those of drawing one. */
export function VerifyStatistics({ queue }: { queue: Queue }) {
  const found = useQuery({
    queryKey: ['queues', String(queue.id), 'statistics'],
    queryFn: () => take(api.GET('/labeling/queues/{reference}/statistics', { params: { path: { reference: String(queue.id) } } })),
  })
  return (
    <section aria-labelledby="verify-statistics" className="stack">
      <h3 id="verify-statistics">Seconds and suggestions</h3>
      {found.isPending && <Skeleton height={64} />}
      {found.isError && <Failure what="The figures could not be loaded" error={found.error} retry={() => void found.refetch()} />}
      {found.data && <Figures found={found.data} />}
    </section>
  )
}

function Figures({ found }: { found: QueueStatistics }) {
  const { objects, missing, drawn, by_class: classes } = found
  if (found.verified === 0 && drawn.objects === 0) return <p className="quiet">No answer has been verified or drawn without a suggestion yet.</p>
  const all: Row = { ...objects, class: 'All', missing: classes.reduce((sum, each) => sum + each.missing, 0) }
  return (
    <>
      <dl className="facts">
        <dt>Verify one shape</dt>
        <dd>{seconds(objects.median_seconds, plural(objects.asked, 'question'))}</dd>
        <dt>“Is one missing?”</dt>
        <dd>{seconds(missing.median_seconds, `yes for ${count(missing.found)} of ${plural(missing.asked, 'image')}`)}</dd>
        <dt>Draw one shape</dt>
        <dd>{seconds(drawn.median_seconds, `${count(drawn.objects)} drawn`)}</dd>
      </dl>
      <div className="table-scroll">
        <table className="table">
          <caption className="visually-hidden">What became of the suggested shapes, by class</caption>
          <thead>
            <tr>
              <th scope="col">Class</th>
              {columns.map((name) => (
                <th key={name} scope="col" className="number">
                  {titles[name]}
                </th>
              ))}
              <th scope="col" className="number">
                Median, s
              </th>
            </tr>
          </thead>
          <tbody>
            {[...classes, all].map((row, place) => (
              <tr key={place}>
                <th scope="row">{row.class}</th>
                {columns.map((name) => (
                  <td key={name} className="number">
                    {count(row[name])}
                  </td>
                ))}
                <td className="number">{row.median_seconds?.toFixed(1) ?? '–'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function seconds(median: number | null, of: string): string {
  return median === null ? '–' : `${median.toFixed(1)} s (median, ${of})`
}
