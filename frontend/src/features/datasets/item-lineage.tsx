import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'

import type { ContainedIn, ContainingModel } from '../../shared/api/types'
import { count } from '../../shared/format/numbers'
import { Chip } from '../../shared/ui/chip'
import { lineageQuery } from './queries'

type Step = NonNullable<ContainingModel['through']>[number]

const relations = {
  learned: { title: 'Learned from it', words: 'Their weights were made from this sample, by their own training or through versions that they carry on.' },
  judged: { title: 'Judged by it', words: 'They were evaluated or calibrated on it, and did not learn from it by that.' },
  proved: { title: 'Proved on it', words: 'Their file was checked on it.' },
} as const

/** Which models learned from a sample or were judged by it, and what scored, picked and asked for it. */
export function ItemLineage({ dataset, sampleKey }: { dataset: string; sampleKey: string }) {
  // A failure is shown by the history, which asks for the same.
  const found = useQuery(lineageQuery(dataset, sampleKey)).data?.contained_in
  if (found === undefined) return null
  const kinds = Object.keys(relations) as (keyof typeof relations)[]
  return (
    <section aria-labelledby="lineage" className="stack">
      <h2 id="lineage">Lineage</h2>
      {kinds.map((relation) => (
        <Models key={relation} relation={relation} rows={found.models.filter((row) => row.relation === relation)} />
      ))}
      <Runs found={found} />
      <Uses found={found} />
      <Hidden hidden={found.hidden} />
    </section>
  )
}

function Models({ relation, rows }: { relation: keyof typeof relations; rows: ContainingModel[] }) {
  if (rows.length === 0) return relation === 'learned' ? <p className="quiet">No model has learned from it.</p> : null
  const { title, words } = relations[relation]
  return (
    <div>
      <h3>
        {title} <span className="quiet">{rows.length}</span>
      </h3>
      <p className="quiet small">{words}</p>
      <ul className="history">
        {rows.map((row) => (
          <li key={`${row.model} ${row.version} ${row.split}`}>
            <p className="row wrap">
              <Link to="/models/$model/$version" params={{ model: row.model, version: String(row.version) }}>
                {row.model} v{row.version}
              </Link>
              {row.aliases?.map((alias) => (
                <Chip key={alias} tone="ok">
                  {alias}
                </Chip>
              ))}
              {row.dataset !== null && (
                <span className="quiet">
                  {row.split} of {row.dataset} v{row.dataset_version}
                </span>
              )}
            </p>
            {row.through?.map((step) => (
              <p key={`${step.how} ${step.model} ${step.version}`} className="quiet small">
                {stepWords(step)}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </div>
  )
}

function stepWords({ how, model, version }: Step): string {
  const parent = model === null ? 'a version that you may not see' : `${model} v${version}`
  if (how === 'member') return `${parent} is a member of it`
  return how === 'derived' ? `derived from ${parent}` : `started from ${parent}`
}

function Runs({ found }: { found: ContainedIn }) {
  if (found.runs.length === 0) return null
  return (
    <div>
      <h3>Runs without a version</h3>
      <ul className="history">
        {found.runs.map((run) => (
          <li key={run.id} className="row wrap">
            <Link to="/runs/$id" params={{ id: String(run.id) }}>
              Run {run.id}
            </Link>
            <span>of {run.model}</span>
            <span className="quiet">
              {run.state}
              {run.began === false && ', has read nothing yet'}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** What scored it, picked it and asked for its label. */
function Uses({ found }: { found: ContainedIn }) {
  const scored = [...new Set(found.score_files.map(({ model, kind }) => model ?? kind))]
  const rows = [
    ...(scored.length > 0 ? [{ key: 'scored', title: 'Scored by', words: scored.join(', ') }] : []),
    ...found.mining_jobs.map(({ id, rank, strategy }) => ({
      key: `picked ${id}`, title: 'Picked by', words: `mining job ${id}${strategy ? `, ${strategy}` : ''}${rank ? `, rank ${rank}` : ''}`,
    })),
    ...found.queues.map(({ queue, state }) => ({ key: `queue ${queue}`, title: 'Asked for in', words: `queue ${queue}: ${state}` })),
    ...found.rounds.map(({ pipeline, round }) => ({ key: `round ${pipeline} ${round}`, title: 'Asked for by', words: `round ${round} of ${pipeline}` })),
  ]
  if (rows.length === 0) return null
  return (
    <dl className="facts">
      {rows.map(({ key, title, words }) => (
        <Fragment key={key}>
          <dt>{title}</dt>
          <dd>{words}</dd>
        </Fragment>
      ))}
    </dl>
  )
}

function Hidden({ hidden }: { hidden: ContainedIn['hidden'] }) {
  const all = Object.values(hidden).reduce((sum, one) => sum + one, 0)
  if (all === 0) return null
  return (
    <p className="quiet small">
      {count(all)} more {all === 1 ? 'is' : 'are'} in projects that you may not see.
    </p>
  )
}
