import { useState } from 'react'

import type { LabelValue } from '../../../shared/api/types'
import type { LabelSession } from '../label-session'
import { isAnswered, type AnsweredTask, placeOf, type LeasedTask } from '../leased-task'
import { isShapes } from '../values'
import type { Editor } from './core/editor'
import { ignoredOf, ofLabel, toLabel } from './core/label'
import { byDoubt, type Shape } from './core/shapes'
import { type Drawn, forgetShapes, putDrawing } from './draft-store'
import { sizeOf } from './use-editor'
import type { Questions } from './verify/questions'

/** By task: how the answers of this visit came to be that were given question by question. */
const verifiedHere = new Map<string, Drawn>()

export interface Submit {
  submit: () => void
  /** Why the first press did not submit yet: what is undecided, or half drawn. */
  asks: string | null
}

/** With `questions` the image was verified before. Submitting says what is confirmed. Where suggestions are undecided it asks once: a second press leaves them out. */
export function useSubmit(session: LabelSession, leasedTask: LeasedTask | AnsweredTask, editor: Editor, questions?: Questions): Submit {
  const [asked, setAsked] = useState<{ shapes: readonly Shape[]; words: string } | null>(null)
  const submit = () => {
    const { shapes, draft } = editor.snapshot()
    const words = draft ? 'A shape is unfinished: press Enter to finish it (a polygon: twice in one place), Esc to discard it.' : undecidedWords(editor.undecided().length)
    if (words !== null && (draft !== null || asked?.shapes !== shapes)) {
      setAsked({ shapes, words })
      if (!draft) editor.show(byDoubt(editor.undecided())[0])
      return
    }
    editor.leave()
    forgetShapes(placeOf(leasedTask))
    const value = toLabel(shapes, ignoredOf(isAnswered(leasedTask) && leasedTask.chosen !== null ? leasedTask.chosen : leasedTask.task.suggestion))
    session.say(value, questions?.told())
    if (questions) verifiedHere.set(String(leasedTask.task.id), { shapes, questions: questions.kept() })
  }
  const stands = asked?.shapes === editor.snapshot().shapes
  return { submit, asks: stands ? asked.words : null }
}

/** An image that was verified on this visit comes back at its last question. */
function drawnOf(last: AnsweredTask, chosen: LabelValue): Drawn {
  return verifiedHere.get(String(last.task.id)) ?? { shapes: ofLabel(chosen, sizeOf(last)) }
}

function undecidedWords(undecided: number): string | null {
  if (undecided === 0) return null
  const what = undecided === 1 ? '1 suggestion is' : `${undecided} suggestions are`
  return `${what} not decided: A accepts, X deletes. Submit once more to leave ${undecided === 1 ? 'it' : 'them'} out.`
}

export function skipImage(session: LabelSession, leasedTask: LeasedTask | AnsweredTask, reason?: string): void {
  forgetShapes(placeOf(leasedTask))
  session.skip(reason)
}

/** Takes back the last answer, with its shapes on the image again. */
export function takeBack(session: LabelSession): void {
  const last = session.snapshot().past.at(-1)
  if (last?.chosen && isShapes(last.chosen)) putDrawing(placeOf({ task: last.task, lease: last.lease }), drawnOf(last, last.chosen))
  void session.undo()
}
