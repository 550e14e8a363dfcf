import { Link } from '@tanstack/react-router'

import type { Machine, WorkerProcess } from '../../shared/api/types'
import { bytes, duration, percent, plural } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { useNow } from '../../shared/live/use-now'
import { Chip } from '../../shared/ui/chip'
import { Meter } from './meter'

const columns = ['Worker', 'Queues', 'Busy with', { name: 'Memory', number: true }, { name: 'For', number: true }] as const

/** A machine as its workers last told of it. */
export function MachinePanel({ machine }: { machine: Machine }) {
  const now = useNow()
  const { memory, disk, gpus } = machine
  const silent = Math.max(0, (now - Date.parse(machine.seen)) / 1_000)
  const id = `machine-${machine.name}`
  return (
    <section className="panel" aria-labelledby={id}>
      <div className="panel-head">
        <h2 id={id} className="grow">
          {machine.name}
        </h2>
        <span className="quiet small">
          {plural(machine.cores, 'core')} · load {machine.load.toFixed(1)}
        </span>
        <Chip tone={silent < 30 ? 'ok' : 'warn'}>{silent < 30 ? 'alive' : `silent for ${duration(silent)}`}</Chip>
      </div>
      <div className="panel-body meters">
        <Meter name="CPU" share={machine.cpu_percent / 100} words={percent(machine.cpu_percent / 100, 0)} high="busy" />
        <Meter name="Memory" share={filled(memory)} words={`${bytes(memory.used)} of ${bytes(memory.total)}`} />
        <Meter name="Disk" share={filled(disk)} words={`${bytes(disk.used)} of ${bytes(disk.total)}`} />
        {gpus.map((gpu) => (
          <div key={gpu.device} className="stack">
            <Meter
              name={gpu.name}
              share={gpu.utilisation === null ? null : gpu.utilisation / 100}
              words={gpu.utilisation === null ? 'not told' : percent(gpu.utilisation / 100, 0)}
            />
            <Meter name={`Memory of ${gpu.name}`} share={filled(gpu.memory)} words={`${bytes(gpu.memory.used)} of ${bytes(gpu.memory.total)}`} />
            <GpuHealth gpu={gpu} />
          </div>
        ))}
        {gpus.length === 0 && <p className="quiet small">{machine.gpus_note ?? 'No GPU.'}</p>}
      </div>
      <Table caption={`Workers of ${machine.name}`} columns={columns} className="tight">
        {machine.workers.map((worker) => (
          <WorkerRow key={worker.pid} worker={worker} now={now} />
        ))}
      </Table>
    </section>
  )
}

/** Its temperature and the errors of its memory, as far as it tells. */
function GpuHealth({ gpu: { device, temperature, ecc_errors: ecc } }: { gpu: Machine['gpus'][number] }) {
  return (
    <p className="quiet small">
      {temperature !== null && `${temperature} °C · `}
      {ecc !== null && `${plural(ecc.corrected, 'corrected memory error')} · `}
      {ecc !== null && ecc.uncorrected > 0 && <Chip tone="bad">{plural(ecc.uncorrected, 'uncorrected memory error')}</Chip>} <span className="mono">{device}</span>
    </p>
  )
}

function filled({ used, total }: { used: number; total: number }): number | null {
  return total === 0 ? null : used / total
}

function WorkerRow({ worker, now }: { worker: WorkerProcess; now: number }) {
  const { busy_with: busy, since } = worker
  return (
    <tr>
      <th scope="row">
        {worker.name} <span className="quiet mono">{worker.pid}</span>
      </th>
      <td>{worker.queues.join(', ')}</td>
      <td>
        {busy === null ? (
          <span className="quiet">nothing; it waits for work</span>
        ) : (
          <>
            <Link to="/jobs/$id" params={{ id: String(busy.job) }}>
              {busy.title}
            </Link>{' '}
            <span className="quiet">shard {busy.shard}</span>
          </>
        )}
      </td>
      <td className="number">{worker.rss === null ? '–' : bytes(worker.rss)}</td>
      <td className="number">{since === null ? '–' : duration(Math.max(0, (now - Date.parse(since)) / 1_000))}</td>
    </tr>
  )
}
