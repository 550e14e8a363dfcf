import { Link } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import { count, percent, plural } from '../../shared/format/numbers'
import { pipelinesList } from '../../shared/api/lists'
import type { Pipeline } from '../../shared/api/types'
import { NoneLeft } from '../../shared/lifecycle/none-left'
import { useList } from '../../shared/lists/pages'
import { usePicked } from '../../shared/project-choice/picked'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { mostAlive } from './loop-page'
import { NextAction } from './next-action'
import { CurvePanel } from './pipeline-body'
import { roundsList } from './queries'
import { useForecast } from './use-forecast'

/** Where the loop stands, in what somebody at work needs of it: what it waits for, its curve, and how far the target is. */
export function LoopSummary() {
  const { rows, error, retry } = useList(pipelinesList(usePicked(), {}, true))
  const mayBuild = useMay('build')
  if (!rows) return error === null ? <Skeleton height={360} /> : <Failure what="The pipelines could not be loaded" error={error} retry={retry} />
  const chosen = mostAlive(rows)
  if (chosen) return <OneLoop chosen={chosen} />
  return (
    <section className="panel" aria-label="Loop">
      <Empty
        action={
          mayBuild && (
            <Link to="/pipelines/new" className="button">
              Create a pipeline
            </Link>
          )
        }
      >
        <NoneLeft kind="pipeline" /> A pipeline trains, mines, asks for labels and trains again, round by round.
      </Empty>
    </section>
  )
}

function OneLoop({ chosen }: { chosen: Pipeline }) {
  const { rows } = useList(roundsList(chosen))
  return (
    <>
      {rows && <NextAction pipeline={chosen} rounds={rows} />}
      <CurvePanel
        chosen={chosen}
        below={
          <p className="row wrap">
            <span className="grow">
              <ForecastLine pipeline={chosen} />
            </span>
            <Link to="/pipelines/$id" params={{ id: String(chosen.id) }} className="button little">
              {chosen.name}
            </Link>
            <Link to="/loop" className="button little">
              The whole loop
            </Link>
          </p>
        }
      />
    </>
  )
}

const usualTarget = 0.95

/** How many labels are still needed, in a sentence. */
function ForecastLine({ pipeline }: { pipeline: Pipeline }) {
  const target = pipeline.stop.target?.value ?? usualTarget
  const { forecast, tooFew } = useForecast(pipeline, target)
  if (tooFew || forecast.isError) return <span className="quiet">Too few rounds for a forecast yet.</span>
  if (!forecast.data) return null
  const { value: more, low, high } = forecast.data.more
  if (more === null) return <span className="quiet">By this curve {percent(target, 0)} is not reached.</span>
  if (more === 0) return <>{percent(target, 0)} is within reach of the labels that are there.</>
  return (
    <>
      <strong>about {plural(more, 'more label', 'more labels')}</strong> to {percent(target, 0)}
      {low !== null && high !== null && <span className="quiet"> ({count(low)} to {count(high)})</span>}
    </>
  )
}
