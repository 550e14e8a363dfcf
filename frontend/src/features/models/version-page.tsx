import './boxes.css'
import './models.css'
import './outcomes/outcomes.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import { modelQuery } from '../../shared/api/queries'
import type { Model, ModelVersionDetail } from '../../shared/api/types'
import { when } from '../../shared/format/numbers'
import { Chip } from '../../shared/ui/chip'
import { later } from '../../shared/ui/later'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { Warnings } from '../../shared/ui/warnings'
import { type Judging, taskTypeOf } from '../../tasktypes'
import { judgingOf } from '../../tasktypes/judging'
import { CalibrationPanel } from './calibration-panel'
import { ClassTable } from './class-table'
import { ConfusionPanel } from './confusion-panel'
import { Facts } from './facts'
import { Headline } from './headline'
import { PromoteDialog } from './promote-dialog'
import { Promotions } from './promotions'
import { modelVersionQuery } from './queries'
import { tensorrt } from './report'
import { RecallPanel } from './recall-panel'
import { ReportPanel } from './report-panel'
import { SliceTable } from './slice-table'
import { Aliases } from './version-row'
import { WorstPanel } from './worst-panel'

const TryImages = later(async () => (await import('./try-images')).default, <Skeleton height={160} />)
const FeedingPanel = later(async () => (await import('./feeding-panel')).default, <Skeleton height={160} />)
const LayersPanel = later(async () => (await import('./layers-panel')).default)

export function VersionPage() {
  const { model: name, version } = useParams({ from: '/inside/models/$model/$version' })
  const model = useQuery(modelQuery(name))
  const detail = useQuery(modelVersionQuery(name, version))
  if (model.isPending || detail.isPending) {
    return (
      <div className="page" aria-busy>
        <Skeleton height={28} width={240} />
        <Skeleton height={72} />
        <Skeleton height={420} />
      </div>
    )
  }
  if (!model.data || !detail.data) {
    return (
      <div className="page">
        <Failure
          what={`Version ${version} of “${name}” could not be loaded`}
          error={model.error ?? detail.error}
          retry={() => void Promise.all([model.refetch(), detail.refetch()])}
          elsewhere={<Link to="/models" className="button">To the models</Link>}
        />
      </div>
    )
  }
  // Another version is another page: nothing that was tried or opened is carried over.
  return <Version key={detail.data.digest} model={model.data} detail={detail.data} />
}

function Version({ model, detail }: { model: Model; detail: ModelVersionDetail }) {
  const { task, gates, classes } = model
  const judging = judgingOf(task, { gates, metrics: detail.metrics })
  return (
    <div className="page">
      <Head model={model} detail={detail} />
      <Warnings warnings={detail.warnings} />
      {judging.headline in detail.metrics ? (
        <Evaluation detail={detail} classes={classes} judging={judging} />
      ) : (
        <section className="panel">
          <Empty>This version was not evaluated: its dataset version has no labelled test or validation samples.</Empty>
        </section>
      )}
      <TryImages detail={detail} classes={classes} boxes={taskTypeOf(task).answer === 'shapes'} />
      <WorstPanel detail={detail} classes={classes} />
      <ReportPanel detail={detail} headline={judging.headline} />
      {detail.feeding && <FeedingPanel feeding={detail.feeding} />}
      <Facts detail={detail} project={model.project} />
      <Promotions moves={detail.promotions} none="No promotions yet. Promote this version to put it into production." />
      <Layers detail={detail} />
    </div>
  )
}

interface EvaluationProps {
  detail: ModelVersionDetail
  classes: string[]
  judging: Judging
}

function Evaluation({ detail, classes, judging }: EvaluationProps) {
  const whose = { model: detail.model, version: detail.version }
  const table = <ClassTable metrics={detail.metrics} classes={classes} judging={judging} {...whose} />
  const columns = judging.objects ? 'model-columns even' : judging.confusion ? 'model-columns evaluation' : undefined
  return (
    <>
      <Headline metrics={detail.metrics} judging={judging} />
      {/* The figures of objects are too many for half a page. */}
      {judging.objects && table}
      <div className={columns}>
        {!judging.objects && table}
        {judging.confusion && <ConfusionPanel metrics={detail.metrics} classes={classes} objects={judging.objects} {...whose} />}
        <RecallPanel metrics={detail.metrics} classes={classes} {...whose} />
      </div>
      <CalibrationPanel {...whose} />
      <SliceTable slices={detail.slices} dataset={detail.dataset} judging={judging} {...whose} />
    </>
  )
}

function Head({ model, detail }: { model: Model; detail: ModelVersionDetail }) {
  const [promoting, setPromoting] = useState(false)
  const mayBuild = useMay('build', model.project)
  const proof = tensorrt(detail.report)
  const onnx = detail.artifacts.find(({ path }) => path === 'model.onnx')
  return (
    <header className="page-head">
      <h1>
        <Link to="/models/$model" params={{ model: model.name }}>
          {model.name}
        </Link>{' '}
        v{detail.version}
      </h1>
      <Aliases names={detail.aliases} />
      <Chip tone={proof.tone}>TensorRT {proof.words}</Chip>
      <span className="quiet">
        {detail.architecture} · {when(detail.created)}
      </span>
      <span className="grow" />
      {onnx && (
        <a className="button" href={onnx.url} download>
          <Download size={14} aria-hidden />
          ONNX
        </a>
      )}
      {mayBuild && (
        <button type="button" className="button primary" onClick={() => setPromoting(true)}>
          Promote…
        </button>
      )}
      {promoting && <PromoteDialog model={model} version={detail.version} onClose={() => setPromoting(false)} />}
    </header>
  )
}

function Layers({ detail }: { detail: ModelVersionDetail }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="panel" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="panel-head panel-fold">
        <h2>Weights by layer</h2>
      </summary>
      {open && <LayersPanel detail={detail} />}
    </details>
  )
}
