import type { LabelValue, Queue } from '../../shared/api/types'
import type { DigitsMean } from '../../shared/keys/present'

/** What an answer of a queue is: one class, several, or shapes. */
export type ReviewKind = 'class' | 'classes' | 'shapes'

export function kindOf({ task, schema }: Queue): ReviewKind {
  if (task === 'detection') return 'shapes'
  return schema.multi_label ? 'classes' : 'class'
}

/** The answer that none of the classes is there; there is none where one class has to be named. */
export function nothingOf(kind: ReviewKind): LabelValue | null {
  return { class: null, classes: { classes: [] }, shapes: { boxes: [] } }[kind]
}

/** A class keeps its key here too: a reviewer who labelled all morning must not decide wrongly all afternoon. */
export const digitsMean: Record<ReviewKind, DigitsMean> = {
  class: [['1–9  0  ⇧1–0', 'Choose the class with that key']],
  classes: [['1–9', 'Accept that answer; while you correct, tick the class with that key']],
  shapes: [
    ['1–9', 'Show or hide that person’s shapes; while you correct, the class with that key'],
    ['⇧1–9', 'Accept that answer'],
  ],
}
