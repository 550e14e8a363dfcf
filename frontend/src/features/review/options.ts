import type { LabelValue, ShapesValue, Suggestion } from '../../shared/api/types'
import { canonicalShapes, shapesText, suggestedShapes } from '../../shared/format/labels'
import type { Review, ReviewAnswer } from './types'

/** One thing that can be taken as the answer, with everybody who said it. */
export interface AnswerOption {
  value: LabelValue | null
  answers: ReviewAnswer[]
  /** How sure the consensus of it is, where it is the consensus. */
  consensus: { confidence: number | null } | null
  /** What the model gives it, where the model says it. */
  model: { probability: number | null } | null
}

/** What the answers come to; null where as much speaks for something else, which is no result. */
export function agreedOf({ consensus }: Pick<Review, 'consensus'>): Review['consensus'] {
  return consensus?.tied === true ? null : consensus
}

/** What was said, the same thing once; then the consensus and the model's word where nobody else said them. */
export function optionsOf({ answers, consensus, suggestion }: Pick<Review, 'answers' | 'consensus' | 'suggestion'>): AnswerOption[] {
  const options: AnswerOption[] = []
  const at = (value: LabelValue | null) => {
    const known = options.find((option) => sameValue(option.value, value))
    if (known) return known
    const fresh: AnswerOption = { value, answers: [], consensus: null, model: null }
    options.push(fresh)
    return fresh
  }
  for (const answer of answers) at(answer.value).answers.push(answer)
  const agreed = agreedOf({ consensus })
  if (agreed) at(agreed.value).consensus = { confidence: agreed.confidence }
  const suggested = suggestion && suggestedValue(suggestion)
  if (suggested) at(suggested).model = { probability: 'boxes' in suggestion ? null : suggestion.probability }
  return options
}

export function isShapes(value: LabelValue | null): value is ShapesValue {
  return value !== null && 'boxes' in value
}

/** What accepting a suggestion would have said. */
function suggestedValue(suggestion: Suggestion): LabelValue {
  if ('boxes' in suggestion) return suggestedShapes(suggestion)
  return 'class' in suggestion ? { class: suggestion.class } : { classes: suggestion.classes }
}

/** Whether two labels say the same; the order of classes and of shapes says nothing. */
export function sameValue(one: LabelValue | null, other: LabelValue | null): boolean {
  return one === null || other === null ? one === other : canonical(one) === canonical(other)
}

function canonical(value: LabelValue): string {
  if ('class' in value) return `class ${value.class}`
  if ('classes' in value) return `classes ${JSON.stringify([...value.classes].sort())}`
  return canonicalShapes(value)
}

/** A label in a few words. */
export function valueWords(value: LabelValue | null): string {
  if (value === null) return 'no label'
  if ('class' in value) return value.class
  if ('classes' in value) return value.classes.length === 0 ? 'none of them' : value.classes.join(', ')
  return shapesText(value.boxes.length, value.polygons?.length ?? 0)
}
