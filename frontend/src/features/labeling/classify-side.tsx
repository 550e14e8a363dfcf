import type { RefObject } from 'react'

import type { Queue } from '../../shared/api/types'
import { CommentsPanel } from '../../shared/comments/panel'
import type { CommentsOfTask } from '../../shared/comments/use-task-comments'
import { KeyCap } from '../../shared/keys/key-cap'
import type { ActionOf } from '../../shared/keys/keymap'
import { Chip } from '../../shared/ui/chip'
import { AnswerBar, type AnswerButton } from './answer-bar'
import type { Choice } from './choice'
import type { ClassKeys } from './class-keys'
import { ClassList } from './class-list'
import { isAnswered, type AnsweredTask, type LeasedTask } from './leased-task'
import { Guidelines } from './guidelines'
import { isSeveral, offeredClasses } from './queue-kind'
import { classSuggestion, suggestedClasses, valueWords } from './values'
import { WhyPanel } from './why-panel'

type Act = ActionOf<'classify'>

interface ClassifySideProps {
  queue: Queue
  leasedTask: LeasedTask | AnsweredTask
  flag: { note: string } | null
  choice: Choice
  keys: ClassKeys
  panels: { why: boolean; guideline: boolean }
  comments: CommentsOfTask
  search: RefObject<HTMLInputElement | null>
  onAct: (action: Act) => void
}

/** Beside the stage: the classes, what can be done, and what is known of the image. */
export function ClassifySide({ queue, leasedTask, flag, choice, keys, panels, comments, search, onAct }: ClassifySideProps) {
  const suggestion = classSuggestion(leasedTask.task)
  const several = isSeveral(queue)
  const suggested = suggestion ? suggestedClasses(suggestion) : []
  return (
    <div className="side">
      {isAnswered(leasedTask) && <AnsweredWords past={leasedTask} />}
      {flag && (
        <p className="row">
          <Chip tone="warn">Flagged</Chip> <span className="cut">{flag.note}</span>
        </p>
      )}
      <ClassList
        classes={offeredClasses(queue)}
        keys={keys}
        suggestion={suggestion}
        suggested={suggested}
        ticked={choice.ticked()}
        onChoose={choice.choose}
        search={search}
        searchCap={<KeyCap scope="classify" action="search" />}
      />
      <AnswerBar scope="classify" buttons={buttons(leasedTask, suggested, several)} onAct={onAct} />
      <CommentsPanel of={comments} keyCap={<KeyCap scope="classify" action="comments" />} />
      {panels.guideline && <Guidelines schema={queue.schema} open={suggested} />}
      {panels.why && <WhyPanel why={leasedTask.task.why} />}
    </div>
  )
}

function AnsweredWords({ past }: { past: AnsweredTask }) {
  return (
    <p className="small">
      You said <strong>{valueWords(past.chosen)}</strong>. Choose another to correct it.{' '}
      <span className="keys-only">
        <KeyCap scope="classify" action="forward" /> goes back to the next image.
      </span>
    </p>
  )
}

function buttons({ task }: LeasedTask, suggested: readonly string[], several: boolean): AnswerButton<'classify'>[] {
  const accept: AnswerButton<'classify'>[] = task.suggestion
    ? [{ action: 'acceptSuggestion', words: `Accept ${suggested.join(', ') || 'none of them'}`, primary: !several, title: `Suggested by ${task.suggestion.model}` }]
    : []
  const submit: AnswerButton<'classify'>[] = several
    ? [
        { action: 'accept', words: 'Submit', primary: true },
        { action: 'clear', words: 'None of them' },
      ]
    : []
  const always: AnswerButton<'classify'>[] = [
    { action: 'skip', words: 'Skip' },
    { action: 'undo', words: 'Undo' },
    { action: 'flag', words: 'Flag' },
  ]
  return [...submit, ...accept, ...always]
}
