import { useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import type { Quota } from '../../shared/api/types'
import { bytes, count, when } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { QuotaDialog } from './quota-dialog'

const columns = [
  'Project',
  { name: 'Share', number: true },
  { name: 'Most slots', number: true },
  { name: 'Running shards', number: true },
  { name: 'Waiting jobs', number: true },
  { name: 'Slot seconds', number: true },
  { name: 'Storage', number: true },
  { name: 'Requests/min', number: true },
] as const

/** What each project has of slots, storage and requests beside the others; owners of the platform change it. */
export function SharesPanel({ quotas }: { quotas: readonly Quota[] }) {
  const [changing, setChanging] = useState<Quota | null>(null)
  const administers = useMay('administer')
  if (quotas.length === 0) return null
  return (
    <section className="panel" aria-labelledby="shares">
      <div className="panel-head">
        <h2 id="shares">Quotas of the projects</h2>
      </div>
      <p className="panel-body quiet small">
        A slot that comes free goes to the project that had the fewest slot seconds for its share. Usage decays with a half-life of 15 minutes. Storage is counted every
        five minutes.
      </p>
      <Table caption="Quotas of the projects" columns={administers ? [...columns, { name: 'Change', silent: true }] : columns} className="tight">
        {quotas.map((quota) => (
          <tr key={quota.project}>
            <th scope="row">{quota.project}</th>
            <td className="number">{count(quota.share)}</td>
            <td className="number">{quota.slots === null ? 'all' : count(quota.slots)}</td>
            <td className="number">{count(quota.running)}</td>
            <td className="number">{count(quota.waiting)}</td>
            <td className="number">{count(Math.round(quota.seconds))}</td>
            <td className="number" title={quota.counted === null ? undefined : `Counted on ${when(quota.counted)}`}>
              {use(quota.held, quota.storage, bytes)}
            </td>
            <td className="number">{use(quota.requested, quota.requests, count)}</td>
            {administers && (
              <td className="number">
                <button type="button" className="button little" onClick={() => setChanging(quota)}>
                  Change… <span className="visually-hidden">{quota.project}</span>
                </button>
              </td>
            )}
          </tr>
        ))}
      </Table>
      {changing !== null && <QuotaDialog quota={changing} onClose={() => setChanging(null)} />}
    </section>
  )
}

/** `48.2 MB of 500 GB`, `48.2 MB`, or a dash where nothing is known. */
function use(has: number | null, most: number | null, told: (amount: number) => string): string {
  const used = has === null ? '–' : told(has)
  return most === null ? used : `${used} of ${told(most)}`
}
