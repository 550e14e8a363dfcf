import './labelling.css'

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { queueQuery } from '../../shared/api/queries'
import type { Queue, QueueCounts } from '../../shared/api/types'
import { count, plural } from '../../shared/format/numbers'
import { useSingleKeys } from '../../shared/keys/preference'
import { useKeys } from '../../shared/keys/use-keys'
import { poll } from '../../shared/live/interval'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'
import { classAt } from './class-keys'
import { ClassList } from './class-list'
import { commandFor, type Command } from './commands'
import { type Desk, type DeskState, isPast } from './desk'
import { Finished } from './finished'
import { HelpDialog } from './help-dialog'
import { LeaseClock } from './lease-clock'
import { NothingNow } from './nothing-now'
import { SaveLine } from './save-line'
import { plainView, Stage, type View } from './stage'
import { Strip } from './strip'
import { useDesk } from './use-desk'
import { WhyPanel } from './why-panel'

export function WorkspacePage() {
  const { queue: id } = useParams({ from: '/inside/label/$queue' })
  const queue = useQuery({ ...queueQuery(id), refetchInterval: poll(() => 'queued') })
  if (queue.isPending) {
    return (
      <div className="page" aria-busy>
        <Skeleton height={28} width={280} />
        <Skeleton height={480} />
      </div>
    )
  }
  if (!queue.data) {
    return (
      <div className="page">
        <Failure
          what="The queue could not be read"
          error={queue.error}
          safe="Labels that are not saved yet are kept on this computer."
          retry={() => void queue.refetch()}
        />
      </div>
    )
  }
  if (queue.data.task !== 'classification') {
    return (
      <div className="page">
        <Empty>
          “{queue.data.name}” asks for boxes. This workspace answers classes only; send boxes through POST
          /labeling/tasks/&#123;id&#125;/answer.
        </Empty>
      </div>
    )
  }
  return <Workspace key={String(queue.data.id)} queue={queue.data} />
}

function Workspace({ queue }: { queue: Queue }) {
  const [desk, state] = useDesk(queue)
  const [help, setHelp] = useState(false)
  const [why, setWhy] = useState(true)
  const [view, setView] = useState<View>(plainView)
  const keys = useSingleKeys()
  const closed = queue.state === 'committed'
  const seat = closed ? undefined : desk.shown()
  const counts = newest(queue.counts, state)

  const act = (command: Command) => {
    if (command.do === 'choose') desk.choose(classAt(queue.classes, command.index))
    else if (command.do === 'brightness') setView({ ...view, brightness: stepped(view.brightness, command.step) })
    else if (command.do === 'contrast') setView({ ...view, contrast: stepped(view.contrast, command.step) })
    else simple(command.do, desk, { setHelp, setWhy: () => setWhy(!why), setView: () => setView({ ...view, zoom: !view.zoom }) })
  }
  useKeys((event) => {
    // Enter presses the button or link that has the focus; only elsewhere does it accept.
    if (event.key === 'Enter' && event.target instanceof HTMLElement && event.target.closest('button, a, summary')) return false
    const command = commandFor(event, keys)
    // A held key must not answer a row of images.
    // What is committed is taken back by a new version, not by undo.
    if (closed && command?.do !== 'help') return false
    if (!command || (event.repeat && command.do !== 'brightness' && command.do !== 'contrast')) return command !== null
    act(command)
    return true
  })

  const finished = !seat && (closed || (state.phase !== 'failed' && isComplete(queue, counts)))
  return (
    <div className="workspace">
      <WorkspaceHead queue={queue} counts={counts} onHelp={() => setHelp(true)} />
      {state.notice !== null && (
        <div className="notice" role="alert">
          <span className="grow">{state.notice}</span>
          <button type="button" className="button little" onClick={() => desk.clearNotice()}>
            Close
          </button>
        </div>
      )}
      {seat && (
        <div className="workspace-body">
          <Stage key={String(seat.task.id)} task={seat.task} view={view} onView={setView} />
          <div className="side">
            <ClassList
              classes={queue.classes}
              task={seat.task}
              chosen={isPast(seat) ? seat.chosen : undefined}
              onChoose={(name) => desk.choose(name)}
              onAct={(wanted) => act({ do: wanted })}
            />
            {why && <WhyPanel why={seat.task.why} />}
          </div>
        </div>
      )}
      {finished && <Finished queue={queue} counts={counts} />}
      {!seat && !finished && <NothingNow desk={desk} state={state} counts={counts} />}
      <footer className="workspace-foot">
        {!closed && <Strip desk={desk} state={state} classes={queue.classes} />}
        <span className="grow" />
        {seat && <LeaseClock seat={seat} answered={isPast(seat)} />}
        <SaveLine />
      </footer>
      <HelpDialog open={help} onClose={() => setHelp(false)} />
    </div>
  )
}

interface Switches {
  setHelp: (open: boolean) => void
  setWhy: () => void
  setView: () => void
}

function simple(wanted: Exclude<Command['do'], 'choose' | 'brightness' | 'contrast'>, desk: Desk, switches: Switches): void {
  const actions = {
    accept: () => desk.acceptSuggestion(),
    skip: () => desk.skip(),
    undo: () => void desk.undo(),
    back: () => desk.look(1),
    forward: () => desk.look(-1),
    help: () => switches.setHelp(true),
    why: switches.setWhy,
    zoom: switches.setView,
  }
  actions[wanted]()
}

function stepped(value: number, step: 1 | -1): number {
  return Math.min(2.4, Math.max(0.4, Math.round((value + step * 0.2) * 10) / 10))
}

/** The counts of the last saved answer, or the queue's own where those are further on. */
function newest(polled: QueueCounts, { counts }: DeskState): QueueCounts {
  return counts && counts.done + counts.skipped > polled.done + polled.skipped ? counts : polled
}

function isComplete(queue: Queue, counts: QueueCounts): boolean {
  return queue.state !== 'open' || (counts.todo === 0 && counts.leased === 0)
}

function WorkspaceHead({ queue, counts, onHelp }: { queue: Queue; counts: QueueCounts; onHelp: () => void }) {
  const left = counts.total - counts.done - counts.skipped
  const rate = queue.rate_per_hour
  return (
    <header className="workspace-head">
      <h1 className="cut">{queue.name}</h1>
      <span className="quiet">{queue.dataset}</span>
      <span style={{ width: 160 }}>
        <Progress done={counts.done} total={counts.total} label="Answered" />
      </span>
      <span>
        {count(counts.done)}/{count(counts.total)}
        {counts.skipped > 0 && <span className="quiet"> · {plural(counts.skipped, 'skip')}</span>}
        {rate > 0 && (
          <span className="quiet">
            {' '}
            · {count(rate)}/h{left > 0 && ` · ${count(Math.ceil((left / rate) * 60))} min left`}
          </span>
        )}
      </span>
      <span className="grow" />
      <button type="button" className="button" onClick={onHelp}>
        <kbd>?</kbd> Keys
      </button>
    </header>
  )
}
