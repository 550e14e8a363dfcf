import './exchange.css'

import { useMutation, useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'

import { api, take } from '../../../shared/api/client'
import { versionsList } from '../../../shared/api/lists'
import type { Dataset, Export, ExportFormat, Split } from '../../../shared/api/types'
import { FilterInput } from '../../../shared/filters/filter-input'
import { bytes, count, when } from '../../../shared/format/numbers'
import { JobProgress } from '../../../shared/live/job-progress'
import { MoreRows } from '../../../shared/lists/more-rows'
import { useList } from '../../../shared/lists/pages'
import { PickField } from '../../../shared/picking/pick-field'
import { isSplit, splits } from '../../../shared/routes/grid-search'
import { Dialog } from '../../../shared/ui/dialog'
import { Field, SelectField } from '../../../shared/ui/fields'
import { Form } from '../../../shared/ui/form'
import { JobChip } from '../../../shared/ui/job-chip'
import { Failure, Skeleton } from '../../../shared/ui/messages'
import { versionChoice } from '../version-words'
import { exportsList, formatsQuery } from './queries'

interface ExportDialogProps {
  dataset: Dataset
  /** What is offered first. */
  version: number
  /** What of it is offered first, as a filter; empty for all. */
  filter: string
  onClose: () => void
}

/** A version as an archive in a format of choice, and the archives that were written before. */
export default function ExportDialog({ dataset, version, filter, onClose }: ExportDialogProps) {
  const start = useMutation({
    mutationFn: (body: { version: string; format: ExportFormat; split?: Split; filter?: string }) =>
      take(api.POST('/datasets/{reference}/exports', { params: { path: { reference: dataset.name } }, body })),
    meta: { renews: [['datasets', dataset.name, 'exports']] },
  })
  return (
    <Dialog onClose={onClose} title={`Export ${dataset.name}`}>
      <div className="stack export">
        {start.data ? (
          <JobProgress id={start.data.job.id} what="The export" safe="The dataset is unchanged. Start the export again once the cause is fixed.">
            {() => <Written dataset={dataset.name} id={start.data.id} />}
          </JobProgress>
        ) : (
          <ExportOptions dataset={dataset} version={version} filter={filter} sending={start} onStart={(options) => start.mutate(options)} />
        )}
        <Earlier dataset={dataset.name} except={start.data?.id} />
      </div>
    </Dialog>
  )
}

interface ExportOptionsProps {
  dataset: Dataset
  version: number
  filter: string
  sending: { error: unknown; isPending: boolean }
  onStart: (options: { version: string; format: ExportFormat; split?: Split; filter?: string }) => void
}

function ExportOptions({ dataset, version: first, filter: shown, sending, onStart }: ExportOptionsProps) {
  const formats = useQuery(formatsQuery).data?.filter(({ tasks }) => tasks.includes(dataset.task)) ?? []
  const [version, setVersion] = useState(String(first))
  const [format, setFormat] = useState<ExportFormat>('jsonl')
  const [split, setSplit] = useState<Split | null>(null)
  const [filter, setFilter] = useState(shown)
  return (
    <Form sending={sending} onSend={() => onStart({ version, format, ...(split === null ? {} : { split }), ...(filter.trim() === '' ? {} : { filter }) })} action="Export" doing="Starting…">
      <PickField name="version" label="Version" source={(q) => versionsList(dataset.name, { q })} choices={versionChoice} value={version} shown={`v${version}`} onChange={setVersion} />
      <SelectField name="format" label="Format" hint="The export lists what the format can’t hold." value={format} onChange={setFormat} options={formats.map(({ name, title }) => [name, title] as const)} />
      <SelectField name="split" label="Split" value={split ?? ''} onChange={(value) => setSplit(isSplit(value) ? value : null)} options={splits}>
        <option value="">all</option>
      </SelectField>
      <Field name="filter" label="Filter" hint="Exports only matching samples, such as boxes >= 1 or slice = night. Leave empty for all.">
        {(joined) => <FilterInput dataset={dataset.name} value={filter} onChange={setFilter} joined={joined} />}
      </Field>
    </Form>
  )
}

/** The archive that was asked for, once its job is done. */
function Written({ dataset, id }: { dataset: string; id: number }) {
  const found = useList({ ...exportsList(dataset), staleTime: 0 }).rows?.find((each) => each.id === id)
  if (!found?.url) return <Skeleton height={32} />
  return (
    <div className="stack" role="status">
      <p>
        <strong>v{found.version}</strong> as {found.format}: {count(found.samples ?? 0)} samples, {bytes(found.bytes ?? 0)}.
        {found.filter !== null && ` Only ${found.filter}.`}
      </p>
      {found.notes.length > 0 && (
        <>
          <p>What {found.format} could not hold:</p>
          <ul className="file-list" aria-label="Not in the archive">
            {found.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </>
      )}
      <div className="row">
        <a className="button primary" href={found.url} download>
          <Download size={14} aria-hidden />
          Download the archive
        </a>
      </div>
    </div>
  )
}

function Earlier({ dataset, except }: { dataset: string; except: number | undefined }) {
  const exports = useList(exportsList(dataset))
  if (!exports.rows && exports.error !== null) return <Failure what="The earlier exports could not be loaded" error={exports.error} retry={exports.retry} />
  const others = exports.rows?.filter(({ id }) => id !== except) ?? []
  if (others.length === 0) return null
  return (
    <section aria-labelledby="earlier-exports">
      <h2 id="earlier-exports">Earlier exports</h2>
      <ul>
        {others.map((each) => (
          <EarlierRow key={each.id} export={each} />
        ))}
      </ul>
      <MoreRows noun="exports" reading={exports} byHand />
    </section>
  )
}

function EarlierRow({ export: { version, format, split, filter, state, url, bytes: size, created } }: { export: Export }) {
  return (
    <li className="row earlier">
      <span className="grow">
        v{version} as {format}
        {split !== null && `, ${split}`}
        {filter !== null && `, ${filter}`} <span className="quiet small">{when(created)}</span>
      </span>
      {url === null ? (
        <JobChip state={state} />
      ) : (
        <a href={url} download>
          {bytes(size ?? 0)}
          <span className="visually-hidden">
            {' '}
            download v{version} as {format}
          </span>
        </a>
      )}
    </li>
  )
}
