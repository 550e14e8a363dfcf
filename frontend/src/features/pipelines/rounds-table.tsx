import { Link } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import { explainRecorded } from '../../shared/api/errors'
import type { Pipeline, Round } from '../../shared/api/types'
import { count, duration, percent, rate } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { useNow } from '../../shared/live/use-now'
import { Chip } from '../../shared/ui/chip'
import { Empty } from '../../shared/ui/messages'
import { metricWords } from '../../tasktypes/metric-words'
import { isOver, machineSeconds, roundTone, scoringRate, stepTimes, stepWords } from './steps'

function columnsWith(figure: string) {
  return [
    'Round',
    'State',
    'Steps',
    { name: 'Labels', number: true },
    { name: figure, number: true },
    'Model',
    { name: 'Scored', number: true },
    { name: 'Machine time', number: true },
    { name: 'Lift', number: true },
    'Picks',
  ] as const
}

export function RoundsTable({ pipeline, rounds }: { pipeline: Pipeline; rounds: readonly Round[] }) {
  if (rounds.length === 0) return <Empty>No rounds yet. The first round trains on the labels the dataset has; without any, it mines the first ones.</Empty>
  const newestFirst = [...rounds].sort((a, b) => b.number - a.number)
  return (
    <Table caption={`Rounds of ${pipeline.name}, newest first`} columns={columnsWith(metricWords(newestFirst[0]?.metric ?? ''))} className="rounds">
      {newestFirst.map((round) => (
        <RoundRow key={round.number} pipeline={pipeline} round={round} />
      ))}
    </Table>
  )
}

function RoundRow({ pipeline, round }: { pipeline: Pipeline; round: Round }) {
  const speed = scoringRate(round)
  const error = explainRecorded(round.error)
  return (
    <tr>
      <th scope="row">{round.number}</th>
      <td>
        <Chip tone={roundTone(round.state)}>{stepWords[round.state]}</Chip>
        {error !== null && <p className="small round-error">{error}</p>}
        <p className="quiet small" title={round.trigger.detail}>
          by {round.trigger.what.replaceAll('_', ' ')}
        </p>
        {round.waiting && <p className="small">waits: {round.waiting.reason}</p>}
        {round.choice && <p className="quiet small" title={round.choice.why}>strategy {round.choice.strategy.replaceAll('_', ' ')}</p>}
        {round.choice?.model_why && <p className="quiet small">scored by v{round.choice.model_version}: {round.choice.model_why}</p>}
        {round.promoted === false && round.promotion && <p className="small">{round.promotion.reason}</p>}
        {round.stopped && <p className="quiet small">stopped: {round.stopped.reason}</p>}
      </td>
      <td>
        <Steps round={round} />
      </td>
      <td className="number">{round.labels === null ? '–' : count(round.labels)}</td>
      <td className="number">{round.value === null ? '–' : percent(round.value, 2)}</td>
      <td>
        <span className="row">
          {round.model_version === null ? '–' : `v${round.model_version}`}
          {round.promoted === true && (
            <Chip tone="ok" bare>
              promoted
            </Chip>
          )}
          {round.promoted === false && <Chip bare>not promoted</Chip>}
        </span>
      </td>
      <td className="number">{speed === null ? '–' : rate(speed, 'img')}</td>
      <td className="number">{machineSeconds(round) > 0 ? duration(machineSeconds(round)) : '–'}</td>
      <td className="number">
        <Lift round={round} />
      </td>
      <td>
        <QueueCell pipeline={pipeline} round={round} />
      </td>
    </tr>
  )
}

function Steps({ round }: { round: Round }) {
  return (
    <ol className="steps" aria-label="Steps">
      {stepTimes(round).map(({ step, seconds, now }) => (
        <li key={step} className={now ? 'now' : seconds === null ? 'ahead' : 'past'} aria-current={now ? 'step' : undefined}>
          <span>{step}</span> <span>{now ? <Running since={round.step_started} /> : seconds === null ? '' : duration(seconds)}</span>
        </li>
      ))}
    </ol>
  )
}

function Running({ since }: { since: string | null }) {
  const now = useNow()
  return since === null ? <>…</> : <>{duration(Math.max(0, Math.floor((now - Date.parse(since)) / 1_000)))}</>
}

/** How much more often the model was wrong on what was mined than on the random arm. */
function Lift({ round }: { round: Round }) {
  const control = round.control
  if (!control) return <>–</>
  const { mined, control: random, lift } = control
  return (
    <>
      {lift === null ? 'not measurable' : `${lift.toFixed(1)} ×`}
      <p className="quiet small">
        {count(mined.wrong)} of {count(mined.n)} mined wrong, {count(random.wrong)} of {count(random.n)} random
      </p>
    </>
  )
}

function QueueCell({ pipeline, round }: { pipeline: Pipeline; round: Round }) {
  const mayLabel = useMay('label')
  if (round.queue === null && round.mining_job === null) return <>–</>
  const counts = round.queue_counts
  const answered = counts ? `${count(counts.done)} of ${count(counts.total)}` : 'open'
  return (
    <span className="stack round-links">
      {round.mining_job !== null && (
        <Link to="/mining/$job" params={{ job: String(round.mining_job) }}>
          picks<span className="visually-hidden"> of round {round.number}</span>
        </Link>
      )}
      {round.queue !== null && !mayLabel && <span>{answered} answered</span>}
      {round.queue !== null && mayLabel && (
        <Link to="/label/$queue" params={{ queue: round.queue }}>
          {answered}
          <span className="visually-hidden"> answered in round {round.number}</span>
        </Link>
      )}
      {isOver(round.state) && round.dataset_version !== null && (
        <Link
          to="/datasets/$id"
          params={{ id: pipeline.dataset }}
          search={{ v: round.dataset_version }}
        >
          data v{round.dataset_version}
          <span className="visually-hidden"> after round {round.number}</span>
        </Link>
      )}
    </span>
  )
}
