import type { DigitsMean } from '../../shared/keys/present'
import type { AnswerForm } from '../../tasktypes'

/** A class keeps its key here too: a reviewer who labelled all morning must not decide wrongly all afternoon. */
export const digitsMean: Record<AnswerForm, DigitsMean> = {
  class: [['1–9  0  ⇧1–0', 'Choose the class with that key']],
  classes: [['1–9', 'Accept that answer; while you correct, tick the class with that key']],
  shapes: [
    ['1–9', 'Show or hide that person’s shapes; while you correct, the class with that key'],
    ['⇧1–9', 'Accept that answer'],
  ],
}
