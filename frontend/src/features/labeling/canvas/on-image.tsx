import { useSyncExternalStore } from 'react'

import type { Queue } from '../../../shared/api/types'
import { type CommentsOfTask, useTaskComments } from '../../../shared/comments/use-task-comments'
import { later } from '../../../shared/ui/later'
import { LeaveGuard } from '../../../shared/ui/leave-guard'
import { type AnsweredTask, isAnswered, type LeasedTask, placeOf } from '../leased-task'
import type { LabelSession, LabelSessionState } from '../label-session'
import type { EditorPreferences } from './core/editor-preferences'
import { type DialogName, Drawing } from './drawing'
import { useEditor } from './use-editor'
import { useKept } from './use-kept'
import type { Questions } from './verify/questions'
import { useQuestions } from './verify/use-questions'

const Verifying = later(async () => (await import('./verify/verifying')).Verifying)

interface OnImageProps {
  queue: Queue
  session: LabelSession
  state: LabelSessionState
  leasedTask: LeasedTask | AnsweredTask
  preferences: EditorPreferences
  onDialog: (name: DialogName) => void
}

/** One image: its questions first where the queue verifies; an answer of before is corrected by drawing. */
export function OnImage({ preferences, ...props }: OnImageProps) {
  const { queue, session, leasedTask } = props
  const editor = useEditor(leasedTask, preferences)
  const questions = useQuestions(editor, leasedTask, session, queue.mode === 'verify' && !isAnswered(leasedTask))
  const comments = useTaskComments(leasedTask.task)
  useKept(placeOf(leasedTask), editor, questions)
  return (
    <>
      {questions ? <Verified {...props} editor={editor} comments={comments} questions={questions} /> : <Drawing {...props} editor={editor} comments={comments} />}
      <LeaveGuard unsaved={comments.unsent} />
    </>
  )
}

type VerifiedProps = Omit<OnImageProps, 'preferences'> & { editor: ReturnType<typeof useEditor>; comments: CommentsOfTask; questions: Questions }

/** What is missing is drawn right away, in the same task. */
function Verified(props: VerifiedProps) {
  const { step } = useSyncExternalStore(props.questions.subscribe, props.questions.snapshot)
  return step === 'drawing' ? (
    <Drawing {...props} />
  ) : (
    <Verifying {...props} />
  )
}
