import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import { useDataset, useModel } from '../../shared/api/queries'
import type { Run } from '../../shared/api/types'
import { percent } from '../../shared/format/numbers'
import { Skeleton } from '../../shared/ui/messages'
import { judgingOf } from '../../tasktypes/judging'
import { metricWords } from '../../tasktypes/metric-words'
import { resultQuery } from './queries'
import { areAlike, type ClassFigure, extremes } from './result'

/** What the training brought: how good the version is, at what, and how it gets better. */
export function ResultPanel({ run, version }: { run: Run; version: number }) {
  const model = useModel(run.model)
  const detail = useQuery(resultQuery(run.model, version)).data
  const dataset = useDataset(run.dataset)
  const mayBuild = useMay('build', model?.project)
  if (!model || !detail) return <Skeleton height={96} />
  const { headline, classFigures } = judgingOf(model.task, { gates: model.gates, metrics: detail.metrics })
  const value = detail.metrics[headline]
  const figure = classFigures.at(-1)
  const { best, worst } = extremes(detail.metrics, figure?.name ?? '')
  const pool = dataset ? dataset.counts.samples - dataset.counts.labelled : 0
  return (
    <section className="panel" aria-labelledby="result">
      <div className="panel-head">
        <h2 id="result" className="grow">
          Result: version {version}
          {typeof value === 'number' && `, ${metricWords(headline)} ${percent(value)}`}
        </h2>
      </div>
      <div className="panel-body stack">
        {typeof value !== 'number' && <p>Nothing was measured: dataset version {run.version} has no labelled test or validation images. Move some labelled images to the split test and train again.</p>}
        {best.length > 0 && areAlike(best, worst) && <p>{`All classes are about as good: ${figure?.title} ${percent(worst[0]?.value ?? 0, 0)} or more.`}</p>}
        {best.length > 0 && !areAlike(best, worst) && (
          <dl className="facts">
            <dt>Good at</dt>
            <dd>
              <Figures of={best} title={figure?.title} />
            </dd>
            <dt>Bad at</dt>
            <dd>
              <Figures of={worst} title={figure?.title} />
            </dd>
          </dl>
        )}
        <div className="row wrap">
          {mayBuild && pool > 0 && (
            <Link to="/mining/new" search={{ dataset: run.dataset, model: run.model, modelVersion: String(version) }} className="button primary">
              Mine what confuses it
            </Link>
          )}
          <Link to="/models/$model/$version" params={{ model: run.model, version: String(version) }} className="button">
            All figures
          </Link>
        </div>
      </div>
    </section>
  )
}

function Figures({ of, title }: { of: readonly ClassFigure[]; title: string | undefined }) {
  return (
    <>
      {of.map(({ name, value }) => `${name} (${percent(value, 0)})`).join(', ')} <span className="quiet small">{title}</span>
    </>
  )
}
