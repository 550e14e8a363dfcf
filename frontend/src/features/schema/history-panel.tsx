import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { explain } from '../../shared/api/errors'
import { when } from '../../shared/format/numbers'
import type { SchemaChange, SchemaWithHistory } from '../../shared/classes/types'
import { changes, draftOf } from './draft'
import { schemaVersionQuery } from './queries'

/** Every version that the schema ever had, the newest first; one opens to what it changed. */
export function HistoryPanel({ dataset, schema }: { dataset: string; schema: SchemaWithHistory }) {
  const newestFirst = [...schema.history].sort((a, b) => b.version - a.version)
  return (
    <section className="panel" aria-labelledby="history">
      <div className="panel-head">
        <h2 id="history">History</h2>
      </div>
      <ol className="schema-history">
        {newestFirst.map((change) => (
          <Step key={change.version} dataset={dataset} change={change} />
        ))}
      </ol>
    </section>
  )
}

function Step({ dataset, change: { version, created, author, message } }: { dataset: string; change: SchemaChange }) {
  const [open, setOpen] = useState(false)
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <strong>Version {version}</strong> <span className="quiet small">{when(created)} · {author}</span>
        </summary>
        {open && <Changes dataset={dataset} version={version} />}
      </details>
      {message !== '' && <p>{message}</p>}
    </li>
  )
}

function Changes({ dataset, version }: { dataset: string; version: number }) {
  const after = useQuery(schemaVersionQuery(dataset, version))
  const before = useQuery({ ...schemaVersionQuery(dataset, version - 1), enabled: version > 1 })
  const error = after.error ?? before.error
  if (error) return <p className="form-fault">{explain(error)}</p>
  if (!after.data || (version > 1 && !before.data)) return <p className="quiet small">Reading…</p>
  const said = changes(before.data ? draftOf(before.data) : { classes: [], guideline: '' }, draftOf(after.data))
  return (
    <ul className="small quiet">
      {said.map((line) => (
        <li key={line}>{line}</li>
      ))}
      {said.length === 0 && <li>Nothing shown here has changed.</li>}
    </ul>
  )
}
