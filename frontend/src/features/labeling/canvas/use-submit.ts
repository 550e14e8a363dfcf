import { useState } from 'react'

import type { LabelSession } from '../label-session'
import { isAnswered, type AnsweredTask, placeOf, type LeasedTask } from '../leased-task'
import { isShapes } from '../values'
import type { Editor } from './core/editor'
import { ignoredOf, ofLabel, toLabel } from './core/label'
import { byDoubt, type Shape } from './core/shapes'
import { forgetShapes, putShapes } from './draft-store'
import { sizeOf } from './use-editor'

export interface Submit {
  submit: () => void
  /** Why the first press did not submit yet: what is undecided, or half drawn. */
  asks: string | null
}

/** Submitting says what is confirmed. Where suggestions are undecided it asks once: a second press leaves them out. */
export function useSubmit(session: LabelSession, leasedTask: LeasedTask | AnsweredTask, editor: Editor): Submit {
  const [asked, setAsked] = useState<{ shapes: readonly Shape[]; words: string } | null>(null)
  const submit = () => {
    const { shapes, draft } = editor.snapshot()
    const words = draft ? 'A shape is unfinished: press Enter to finish it, Esc to discard it.' : undecidedWords(editor.undecided().length)
    if (words !== null && (draft !== null || asked?.shapes !== shapes)) {
      setAsked({ shapes, words })
      if (!draft) editor.show(byDoubt(editor.undecided())[0])
      return
    }
    editor.leave()
    forgetShapes(placeOf(leasedTask))
    session.say(toLabel(shapes, ignoredOf(isAnswered(leasedTask) && leasedTask.chosen !== null ? leasedTask.chosen : leasedTask.task.suggestion)))
  }
  const stands = asked?.shapes === editor.snapshot().shapes
  return { submit, asks: stands ? asked.words : null }
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
  if (last?.chosen && isShapes(last.chosen)) putShapes(placeOf({ task: last.task, lease: last.lease }), ofLabel(last.chosen, sizeOf(last)))
  void session.undo()
}
