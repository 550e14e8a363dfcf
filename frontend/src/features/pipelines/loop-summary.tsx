import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import { count, percent, plural } from '../../shared/format/numbers'
import type { Pipeline } from '../../shared/api/types'
import { NoneLeft } from '../../shared/lifecycle/none-left'
import { usePicked } from '../../shared/project-choice/picked'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { mostAlive } from './loop-page'
import { NextAction } from './next-action'
import { CurvePanel } from './pipeline-body'
import { livePipelinesQuery, roundsQuery } from './queries'
import { useForecast } from './use-forecast'

/** Where the loop stands, in what somebody at work needs of it: what it waits for, its curve, and how far the target is. */
export function LoopSummary() {
  const pipelines = useQuery(livePipelinesQuery(usePicked()))
  const mayBuild = useMay('build')
  if (pipelines.isPending) return <Skeleton height={360} />
  if (!pipelines.data) return <Failure what="The pipelines could not be loaded" error={pipelines.error} retry={() => void pipelines.refetch()} />
  const chosen = mostAlive(pipelines.data)
  if (chosen) return <OneLoop chosen={chosen} all={pipelines.data} />
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

function OneLoop({ chosen, all }: { chosen: Pipeline; all: Pipeline[] }) {
  const rounds = useQuery(roundsQuery(chosen))
  return (
    <>
      {rounds.data && <NextAction pipeline={chosen} rounds={rounds.data} />}
      <CurvePanel
        chosen={chosen}
        all={all}
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
