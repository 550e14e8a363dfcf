import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import { api, take } from '../../shared/api/client'
import type { Artifact, ModelVersionDetail } from '../../shared/api/types'
import { bytes } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { later } from '../../shared/ui/later'
import { Skeleton } from '../../shared/ui/messages'
import { Notes } from '../../shared/ui/notes'
import { VersionReference } from './version-reference'

const LineageTable = later(async () => (await import('./lineage-table')).default, <Skeleton height={120} />)

const columns = ['File', { name: 'Size', number: true }, 'SHA-256', { name: 'Download', silent: true }] as const

/** Where the version comes from, what it is made of, and what people wrote about it. */
export function Facts({ detail, project }: { detail: ModelVersionDetail; project: string }) {
  return (
    <div className="model-columns even">
      <section className="panel" aria-labelledby="files">
        <div className="panel-head">
          <h2 id="files">Files</h2>
        </div>
        <Table caption="Files of the version" columns={columns} className="tight">
          {detail.artifacts.map((file) => (
            <FileRow key={file.path} file={file} />
          ))}
        </Table>
      </section>
      <div className="stack wide-gap">
        <section className="panel" aria-labelledby="lineage">
          <div className="panel-head">
            <h2 id="lineage">Lineage</h2>
          </div>
          <Lineage detail={detail} />
        </section>
        <NotesPanel detail={detail} project={project} />
      </div>
    </div>
  )
}

function FileRow({ file }: { file: Artifact }) {
  return (
    <tr>
      <th scope="row" className="mono">
        {file.path}
      </th>
      <td className="number">{bytes(file.size)}</td>
      <td>
        <code title={file.sha256}>{file.sha256.slice(0, 12)}</code>
      </td>
      <td className="number">
        <a className="button plain icon little" href={file.url} download aria-label={`Download ${file.path}`}>
          <Download size={14} aria-hidden />
        </a>
      </td>
    </tr>
  )
}

function Lineage({ detail }: { detail: ModelVersionDetail }) {
  const { run, cloned_from: origin, parent, made_from: members, children } = detail.lineage
  const ensemble = detail.architecture === 'ensemble'
  return (
    <div className="panel-body stack">
      <dl className="facts">
        <dt>Trained on</dt>
        <dd>{detail.dataset_role === 'trained' ? <DataLink detail={detail} /> : ensemble ? 'nothing itself: its members were' : 'not known'}</dd>
        {detail.dataset_role === 'judged' && (
          <>
            <dt>Judged on</dt>
            <dd>
              <DataLink detail={detail} />
            </dd>
          </>
        )}
        {members.length > 0 && (
          <>
            <dt>{ensemble ? 'Members' : 'Derived from'}</dt>
            <dd className="row wrap">
              {members.map((member) => (
                <VersionReference key={member} name={member} />
              ))}
            </dd>
          </>
        )}
        <dt>Run</dt>
        <dd>
          {run === null ? (
            ensemble ? 'none: it was joined' : 'none: the file was uploaded'
          ) : (
            <Link to="/runs/$id" params={{ id: String(run) }}>
              Run {run}
            </Link>
          )}
          {origin !== null && <span className="quiet">, cloned from run {origin}</span>}
        </dd>
        {run !== null && (
          <>
            <dt>Started from</dt>
            <dd>{parent === null ? 'fresh weights' : <VersionReference name={parent} />}</dd>
          </>
        )}
        {children.length > 0 && (
          <>
            <dt>Continued as</dt>
            <dd className="row wrap">
              {children.map((child) => (
                <VersionReference key={child} name={child} />
              ))}
            </dd>
          </>
        )}
        <dt>Digest</dt>
        <dd className="mono">{detail.digest}</dd>
      </dl>
      <Ancestry detail={detail} />
      <details>
        <summary className="quiet small">Lock: everything that determines the weights</summary>
        {/* A scrolled region must be reachable by keyboard to be scrolled by it. */}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <pre className="log mono" tabIndex={0} aria-label="Lock">
          {JSON.stringify(detail.lock, null, 2)}
        </pre>
      </details>
    </div>
  )
}

function DataLink({ detail }: { detail: ModelVersionDetail }) {
  if (detail.dataset === null || detail.dataset_version === null) return null
  return (
    <Link to="/datasets/$id" params={{ id: detail.dataset }} search={{ v: detail.dataset_version }}>
      {detail.dataset} v{detail.dataset_version}
    </Link>
  )
}

/** The whole lineage, asked for when it is opened. */
function Ancestry({ detail }: { detail: ModelVersionDetail }) {
  const [open, setOpen] = useState(false)
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="quiet small">Training data and parents, and the versions made from it</summary>
      {open && <LineageTable model={detail.model} version={detail.version} />}
    </details>
  )
}

function NotesPanel({ detail, project }: { detail: ModelVersionDetail; project: string }) {
  const mayBuild = useMay('build', project)
  const client = useQueryClient()
  const path = { model: detail.model, version: String(detail.version) }
  const save = async (notes: string) => {
    await take(api.PATCH('/models/{model}/versions/{version}', { params: { path }, body: { notes } }))
    await client.invalidateQueries({ queryKey: ['models', detail.model] })
  }
  return (
    <section className="panel" aria-labelledby="notes">
      <div className="panel-head">
        <h2 id="notes">Notes</h2>
      </div>
      <div className="panel-body">
        <Notes notes={detail.notes} hint="What you tried, and the result" save={mayBuild ? save : null} />
      </div>
    </section>
  )
}
