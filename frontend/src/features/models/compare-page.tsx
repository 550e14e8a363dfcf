import './models.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'

import { modelVersionsList } from '../../shared/api/lists'
import { Picker } from '../../shared/picking/picker'
import { modelQuery } from '../../shared/api/queries'
import type { ComparedVersions } from '../../shared/api/types'
import { plural, when } from '../../shared/format/numbers'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { taskTypeOf } from '../../tasktypes'
import { judgingOf } from '../../tasktypes/judging'
import { CompareChanges } from './compare-changes'
import { CompareConfusion } from './compare-confusion'
import { CostTable, GroupTable, MetricTable } from './compare-tables'
import { comparedVersionsQuery } from './queries'

/** Two versions of a model on the test samples that both were asked. */
export function CompareVersionsPage() {
  const { model } = useParams({ from: '/inside/models/$model/compare' })
  const { a, b } = useSearch({ from: '/inside/models/$model/compare' })
  const found = useQuery(modelQuery(model))
  const name = found.data?.name ?? model
  const both = a !== undefined && b !== undefined
  const compared = useQuery({ ...comparedVersionsQuery(model, a ?? '', b ?? ''), enabled: both })
  if (!both && found.isError && !found.data) {
    return (
      <div className="page">
        <Failure
          what="The model could not be loaded"
          error={found.error}
          retry={() => void found.refetch()}
          elsewhere={<Link to="/models" className="button">To the models</Link>}
        />
      </div>
    )
  }
  return (
    <div className="page">
      <header className="page-head">
        <h1>
          <Link to="/models/$model" params={{ model }}>
            {name}
          </Link>
          : two versions
        </h1>
        <Pickers model={model} />
      </header>
      {!both && <Empty>Choose two versions to see what changed between them.</Empty>}
      {both && compared.isPending && <Skeleton height={480} />}
      {both && compared.isError && !compared.data && (
        <Failure
          what="The versions could not be compared"
          error={compared.error}
          retry={() => void compared.refetch()}
          elsewhere={<Link to="/models/$model" params={{ model }} className="button">To the model</Link>}
        />
      )}
      {both && compared.data && <Compared model={model} found={compared.data} />}
    </div>
  )
}

function Pickers({ model }: { model: string }) {
  const { a, b } = useSearch({ from: '/inside/models/$model/compare' })
  const navigate = useNavigate({ from: '/models/$model/compare' })
  const picker = (name: 'a' | 'b', label: string, value: string | undefined) => (
    <span className="row">
      <span className="quiet">{label}</span>
      <Picker
        aria-label={label}
        placeholder="choose a version"
        source={(q) => modelVersionsList(model, { q })}
        choices={({ version }) => [{ value: String(version), words: `v${version}` }]}
        value={value ?? ''}
        shown={value === undefined ? '' : /^\d+$/.test(value) ? `v${value}` : value}
        onChange={(version) => void navigate({ search: { ...(a === undefined ? {} : { a }), ...(b === undefined ? {} : { b }), [name]: version }, replace: true })}
      />
    </span>
  )
  return (
    <>
      {picker('a', 'From', a)}
      {picker('b', 'to', b)}
      {a !== undefined && b !== undefined && (
        <Link to="/models/$model/compare" params={{ model }} search={{ a: b, b: a }} className="button little">
          Swap
        </Link>
      )}
    </>
  )
}

function Compared({ model, found }: { model: string; found: ComparedVersions }) {
  const { a, b, common, note } = found
  const task = useQuery(modelQuery(model)).data?.task
  const judging = task === undefined ? null : judgingOf(task)
  const confusion = found.confusion !== null || judging?.confusion === true
  return (
    <>
      <section className="panel panel-body compare-sides" aria-label="What is compared">
        {[a, b].map((side) => (
          <p key={side.version}>
            <Link to="/models/$model/$version" params={{ model, version: String(side.version) }}>
              <strong>v{side.version}</strong>
            </Link>{' '}
            <span className="quiet">
              {side.architecture}
              {side.dataset !== null && ` on ${side.dataset} v${side.dataset_version ?? '?'}`}, {when(side.created)}
            </span>
          </p>
        ))}
        <p className="quiet small">
          {common === null ? 'Each as it was evaluated.' : `Both on the same ${plural(common, 'test sample')}.`} {note}
        </p>
      </section>
      {task !== undefined && <CompareChanges model={model} found={found} several={taskTypeOf(task).answer !== 'class'} />}
      <div className="model-columns even">
        <MetricTable found={found} />
        <CostTable found={found} />
      </div>
      <GroupTable title="By class" counted={judging?.objects ? 'Objects' : 'Samples'} a={a.version} b={b.version} rows={found.per_class.map(({ name, support, metrics }) => ({ name, samples: support, metrics, missing: null }))} />
      {found.slices.length > 0 && (
        <GroupTable title="By slice" a={a.version} b={b.version} rows={found.slices.map(({ name, samples, metrics, not_computed: missing }) => ({ name, samples, metrics, missing }))} />
      )}
      {confusion && <CompareConfusion model={model} found={found} />}
    </>
  )
}
