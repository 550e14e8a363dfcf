import { useState } from 'react'

import type { LabelSession } from '../../label-session'
import { type LeasedTask, placeOf } from '../../leased-task'
import type { Editor } from '../core/editor'
import { ofSuggestion } from '../core/label'
import { keptDrawing } from '../draft-store'
import { sizeOf } from '../use-editor'
import { Questions } from './questions'

/** The questions of the image that this editor shows, from where they were left; none where none are `wanted`. */
export function useQuestions(editor: Editor, leasedTask: LeasedTask, session: LabelSession, wanted: boolean): Questions | undefined {
  const begin = () => ({ editor, wanted, questions: wanted ? questionsOf(editor, leasedTask, session) : undefined })
  const [held, setHeld] = useState(begin)
  if (held.editor === editor && held.wanted === wanted) return held.questions
  const next = begin()
  setHeld(next)
  return next.questions
}

function questionsOf(editor: Editor, leasedTask: LeasedTask, session: LabelSession): Questions {
  const { suggestion } = leasedTask.task
  const kept = keptDrawing(placeOf(leasedTask))
  // What is kept without questions was drawn before the queue verified: the shapes stay, and only what is missing is asked.
  const suggested = kept && !kept.questions ? [] : ofSuggestion(suggestion, sizeOf(leasedTask))
  return new Questions(editor, suggestion, suggested, () => session.stopwatch.lap(), kept?.questions)
}
