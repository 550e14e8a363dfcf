import './models.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import { LifecycleMenu } from '../../shared/lifecycle/lifecycle-menu'
import { modelVersionsList } from '../../shared/api/lists'
import { modelQuery } from '../../shared/api/queries'
import type { Model, ModelVersion } from '../../shared/api/types'
import { MoreRows } from '../../shared/lists/more-rows'
import { type Reading, useList } from '../../shared/lists/pages'
import { plural } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { useProjects } from '../../shared/project-choice/picked'
import { later } from '../../shared/ui/later'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { RefusableButton } from '../../shared/ui/refusable-button'
import { taskTypeOf } from '../../tasktypes'
import { judgingOf } from '../../tasktypes/judging'
import { metricWords } from '../../tasktypes/metric-words'
import { EnsembleDialog } from './ensemble-dialog'
import { PromoteDialog } from './promote-dialog'
import { ModelPromotions } from './promotions'
import { RollBackDialog } from './roll-back-dialog'
import { RunsPanel } from './runs-panel'
import { TrainDialog } from './train-dialog'
import { VersionRow } from './version-row'

const UploadVersionDialog = later(async () => (await import('./upload-dialog')).default)

function columnsWith(title: string) {
  return [
    'Compare',
    'Version',
    'Architecture',
    'Trained on',
    { name: title, number: true },
    { name: 'Size', number: true },
    'TensorRT',
    'Aliases',
    'When',
    { name: 'Actions', silent: true },
  ] as const
}

export function ModelPage() {
  const { model: name } = useParams({ from: '/inside/models/$model' })
  const model = useQuery(modelQuery(name))
  const versions = useList(modelVersionsList(name))
  if (model.isPending || (!versions.rows && versions.error === null)) {
    return (
      <div className="page" aria-busy>
        <Skeleton height={28} width={240} />
        <Skeleton height={320} />
      </div>
    )
  }
  if (!model.data || !versions.rows) {
    return (
      <div className="page">
        <Failure
          what={`The model “${name}” could not be loaded`}
          error={model.error ?? versions.error}
          retry={() => void model.refetch()}
          elsewhere={<Link to="/models" className="button">To the models</Link>}
        />
      </div>
    )
  }
  return <Versions model={model.data} versions={versions.rows} reading={versions} />
}

interface VersionsProps {
  model: Model
  versions: readonly ModelVersion[]
  reading: Reading<ModelVersion>
}

function Versions({ model, versions, reading }: VersionsProps) {
  const [promoting, setPromoting] = useState<number | null>(null)
  const [rollingBack, setRollingBack] = useState(false)
  const [training, setTraining] = useState(false)
  const [uploading, setUploading] = useState(false)
  const asked = useSearch({ from: '/inside/models/$model' }).join
  const [joining, setJoining] = useState(asked !== undefined)
  const mayBuild = useMay('build', model.project)
  const { several } = useProjects()
  const navigate = useNavigate()
  const [pair, setPair] = useState<readonly number[]>([])
  const notJoining = () => {
    setJoining(false)
    if (asked !== undefined) void navigate({ to: '/models/$model', params: { model: model.name }, replace: true })
  }
  return (
    <div className="page">
      <header className="page-head">
        <h1>{model.name}</h1>
        <span className="quiet">
          {several && `${model.project} · `}
          {model.task} of {plural(model.classes.length, 'class', 'classes')}
          {model.description && ` · ${model.description}`}
        </span>
        <span className="grow" />
        {versions.length > 1 && <CompareLink model={model} pair={pair} versions={versions} />}
        {mayBuild && (
          <>
            <RefusableButton className="button" refusal={model.aliases.length === 0 ? 'No version was promoted yet.' : null} onClick={() => setRollingBack(true)}>
              Roll back…
            </RefusableButton>
            {taskTypeOf(model.task).answer !== 'shapes' && (
              <>
                <RefusableButton className="button" refusal={versions.length < 2 ? 'Joining needs two versions.' : null} onClick={() => setJoining(true)}>
                  Join versions…
                </RefusableButton>
                <button type="button" className="button" onClick={() => setUploading(true)}>
                  Upload…
                </button>
              </>
            )}
            <button type="button" className={versions.length > 0 ? 'button primary' : 'button'} onClick={() => setTraining(true)}>
              Train…
            </button>
          </>
        )}
        <LifecycleMenu
          kind="model"
          thing={model}
          onRenamed={(name) => void navigate({ to: '/models/$model', params: { model: name } })}
          onDeleted={() => navigate({ to: '/models' })}
        />
      </header>
      {versions.length === 0 ? (
        <Empty
          action={
            mayBuild && (
              <button type="button" className="button primary" onClick={() => setTraining(true)}>
                Train it…
              </button>
            )
          }
        >
          This model has no version yet. A version appears once a training has been verified; pipelines train it too.{taskTypeOf(model.task).answer !== 'shapes' && ' Or upload an ONNX file from elsewhere.'}
        </Empty>
      ) : (
        <VersionTable model={model} versions={versions} pair={pair} onPair={setPair} onPromote={mayBuild ? setPromoting : null} />
      )}
      <MoreRows noun="versions" reading={reading} byHand />
      <div className="model-columns">
        <ModelPromotions model={model.name} />
        <RunsPanel model={model.name} />
      </div>
      {promoting !== null && <PromoteDialog model={model} version={promoting} onClose={() => setPromoting(null)} />}
      {training && <TrainDialog model={model} newest={versions[0]} onClose={() => setTraining(false)} />}
      {uploading && <UploadVersionDialog model={model} onClose={() => setUploading(false)} />}
      {joining && <EnsembleDialog model={model} versions={versions} proposed={asked?.split(',').map(Number) ?? []} onClose={notJoining} />}
      {rollingBack && <RollBackDialog model={model} onClose={() => setRollingBack(false)} />}
    </div>
  )
}

interface TableProps {
  model: Model
  versions: readonly ModelVersion[]
  /** Those ticked to be compared. */
  pair: readonly number[]
  onPair: (pair: readonly number[]) => void
  /** Null for those who may not. */
  onPromote: ((version: number) => void) | null
}

/** The ticked ones, else production and the newest, else the two newest: the older first. */
function CompareLink({ model, pair, versions }: { model: Model; pair: readonly number[]; versions: readonly ModelVersion[] }) {
  const newest = versions[0]?.version ?? 0
  const serving = model.aliases.find(({ name }) => name === 'production')?.version
  const other = serving !== undefined && serving !== newest ? serving : (versions[1]?.version ?? newest)
  const [a = other, b = newest] = pair.length === 2 ? [...pair].sort((one, two) => one - two) : [other, newest]
  return (
    <Link to="/models/$model/compare" params={{ model: model.name }} search={{ a: String(a), b: String(b) }} className="button">
      Compare v{a} with v{b}
    </Link>
  )
}

function VersionTable({ model, versions, pair, onPair, onPromote }: TableProps) {
  const { headline } = judgingOf(model.task, model)
  const tick = (version: number) => onPair(pair.includes(version) ? pair.filter((each) => each !== version) : [...pair, version].slice(-2))
  return (
    <div className="panel">
      <Table caption={`Versions of ${model.name}, newest first`} columns={columnsWith(metricWords(headline))}>
        {versions.map((version) => (
          <VersionRow key={version.version} version={version} headline={headline} ticked={pair.includes(version.version)} onTick={() => tick(version.version)} onPromote={onPromote && (() => onPromote(version.version))} />
        ))}
      </Table>
    </div>
  )
}
