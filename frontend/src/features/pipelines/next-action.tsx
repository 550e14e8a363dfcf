import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import { explainRecorded } from '../../shared/api/errors'
import { queueQuery } from '../../shared/api/queries'
import type { Pipeline, Round } from '../../shared/api/types'
import { count, plural } from '../../shared/format/numbers'
import { poll } from '../../shared/live/interval'
import { CommitCountdown, HoldButton } from '../../shared/queues/auto-commit'
import { freeIn } from '../../shared/queues/left'
import { FormDialog } from '../../shared/ui/form-dialog'
import { Progress } from '../../shared/ui/progress'
import { pipelineAction, type Action } from './queries'
import { RetryFrom } from './retry-from'
import { isOver, stepWords } from './steps'
import { triggerWords } from './words'

/** What the loop waits for, in a sentence, and the one button that moves it on. */
export function NextAction({ pipeline, rounds }: { pipeline: Pipeline; rounds: readonly Round[] }) {
  const mayBuild = useMay('build')
  const live = rounds.find((round) => !isOver(round.state))
  const labelling = live?.state === 'labelling' && live.queue !== null ? live : undefined
  const newest = rounds.reduce<Round | undefined>((last, round) => (last && last.number > round.number ? last : round), undefined)
  const ended = newest?.state === 'failed' || newest?.state === 'cancelled' ? newest : undefined
  return (
    <section className="panel next-action" aria-label="Next">
      {labelling ? <LabelMore round={labelling} /> : <MoveOn pipeline={pipeline} live={live} failure={explainRecorded(newest?.error ?? null)} />}
      {ended && mayBuild && <RetryFrom key={ended.number} pipeline={pipeline} round={ended} />}
      {mayBuild && <Pause pipeline={pipeline} />}
      {live && mayBuild && <CancelRound pipeline={pipeline} round={live} />}
    </section>
  )
}

function LabelMore({ round }: { round: Round }) {
  const mayLabel = useMay('label')
  const queue = useQuery({ ...queueQuery(String(round.queue)), refetchInterval: poll(() => 'queued') }).data
  const counts = round.queue_counts
  const left = counts ? counts.total - counts.done - counts.skipped : null
  return (
    <>
      <div className="grow stack">
        <strong>
          Round {round.number} waits for labels{counts ? `: ${count(counts.done)} of ${count(counts.total)} answered` : ''}
          {queue !== undefined && queue.mine.waiting > 0 && ` · ${count(queue.mine.waiting)} of yours are waiting for other annotators`}
        </strong>
        {counts && <Progress done={counts.done} total={counts.total} label="Labelling progress" />}
        {round.auto_commit && <CommitCountdown commit={round.auto_commit} />}
      </div>
      {round.auto_commit && (left === 0 || round.auto_commit.held !== null) && <HoldButton queue={String(round.queue)} commit={round.auto_commit} />}
      {mayLabel && (
        <Link to="/label/$queue" params={{ queue: String(round.queue) }} className="button primary">
          {queue === undefined ? 'Label →' : freeIn(queue) > 0 ? `Label ${count(freeIn(queue))} more →` : 'To the queue →'}
        </Link>
      )}
    </>
  )
}

interface MoveOnProps {
  pipeline: Pipeline
  live: Round | undefined
  /** What ended the newest round. */
  failure: string | null
}

function MoveOn({ pipeline, live, failure }: MoveOnProps) {
  const { sentence, action } = nextStep(pipeline, live, failure)
  const run = usePipelineAction(pipeline)
  const mayBuild = useMay('build')
  return (
    <>
      <strong className="grow">{sentence}</strong>
      {action && mayBuild && (
        <button type="button" className="button primary" disabled={run.isPending} onClick={() => run.mutate(action.act)}>
          {action.label}
        </button>
      )}
    </>
  )
}

function nextStep(pipeline: Pipeline, live: Round | undefined, failure: string | null): { sentence: string; action?: { label: string; act: Action } } {
  if (pipeline.state === 'failed') {
    return { sentence: `The round failed; what it finished is kept.${failure === null ? '' : ` ${failure}`}` }
  }
  if (pipeline.state === 'paused') return { sentence: 'The pipeline is paused.', action: { label: 'Resume', act: 'resume' } }
  if (live?.waiting) return { sentence: `Round ${live.number} waits: ${live.waiting.reason}` }
  if (live) return { sentence: `Round ${live.number} is ${stepWords[live.state].toLowerCase()}; there is nothing for you to do now.` }
  if (pipeline.state === 'running') return { sentence: 'The next round is about to begin.' }
  if (pipeline.stopped) return { sentence: `Stopped: ${pipeline.stopped.reason}`, action: { label: 'Start a round anyway', act: 'start' } }
  return {
    sentence: `Ready for the next round: train, score the pool, and pick ${plural(pipeline.count, 'sample')} to label.`,
    action: { label: 'Start a round', act: 'start' },
  }
}

/** Whether something would happen without a person: only that can be paused. */
function mayGoOn({ state, schedule, trigger }: Pipeline): boolean {
  const open = state === 'running' || state === 'waiting_for_labels' || state === 'waiting_for_budget'
  return open || schedule !== null || triggerWords(trigger, '').length > 0
}

function Pause({ pipeline }: { pipeline: Pipeline }) {
  const run = usePipelineAction(pipeline)
  if (pipeline.state === 'paused' || !mayGoOn(pipeline)) return null
  return (
    <button type="button" className="button" disabled={run.isPending} onClick={() => run.mutate('pause')}>
      Pause
    </button>
  )
}

/** Asked first: the button comes where `Start a round` was a moment ago. */
function CancelRound({ pipeline, round }: { pipeline: Pipeline; round: Round }) {
  const [asking, setAsking] = useState(false)
  const run = usePipelineAction(pipeline)
  const close = () => setAsking(false)
  return (
    <>
      <button type="button" className="button" disabled={run.isPending} onClick={() => setAsking(true)}>
        Cancel round {round.number}…
      </button>
      {asking && (
        <FormDialog title={`Cancel round ${round.number}?`} onClose={close} cancel="Keep it running" sending={run} onSend={() => run.mutate('cancel', { onSuccess: close })} action={`Cancel round ${round.number}`} doing="Cancelling…">
          <p>What it has finished is kept, and you can resume the round later.</p>
        </FormDialog>
      )}
    </>
  )
}

function usePipelineAction(pipeline: Pipeline) {
  return useMutation({
    mutationFn: (action: Action) => pipelineAction(pipeline.id, action),
    meta: { renews: [['pipelines'], ['rounds'], ['jobs']], refused: 'Nothing was changed.' },
  })
}
