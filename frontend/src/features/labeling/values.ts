import type { ClassesValue, ClassSuggestion, ClassValue, LabelValue, ShapesValue, TaskFacts } from '../../shared/api/types'
import { canonicalShapes, shapesText, suggestedShapes } from '../../shared/format/labels'

export function isClass(value: LabelValue): value is ClassValue {
  return 'class' in value
}

export function isClasses(value: LabelValue): value is ClassesValue {
  return 'classes' in value
}

export function isShapes(value: LabelValue): value is ShapesValue {
  return 'boxes' in value
}

/** The class that the model guesses, where it guesses a class. */
export function classSuggestion({ suggestion }: Pick<TaskFacts, 'suggestion'>): ClassSuggestion | null {
  return suggestion !== null && 'class' in suggestion ? suggestion : null
}

/** What an annotator says who agrees with all that the model says; null where it says nothing. */
export function suggestedValue(task: Pick<TaskFacts, 'suggestion'>, several: boolean): LabelValue | null {
  const { suggestion } = task
  if (suggestion === null) return null
  if (!('class' in suggestion)) return suggestedShapes(suggestion)
  return several ? { classes: likelyClasses(suggestion) } : { class: suggestion.class }
}

/** The classes that more likely apply than not. */
export function likelyClasses({ probabilities }: ClassSuggestion): string[] {
  return Object.keys(probabilities).filter((name) => (probabilities[name] ?? 0) >= 0.5)
}

/** Whether two labels say the same; the order of classes and of shapes says nothing. */
export function sameValue(one: LabelValue | null, other: LabelValue | null): boolean {
  if (one === null || other === null) return one === other
  return canonical(one) === canonical(other)
}

function canonical(value: LabelValue): string {
  if (isClass(value)) return `class ${value.class}`
  if (isClasses(value)) return JSON.stringify([...value.classes].sort())
  return canonicalShapes(value)
}

/** A label in a few words; null is a skip. */
export function valueWords(value: LabelValue | null): string {
  if (value === null) return 'skipped'
  if (isClass(value)) return value.class
  if (isClasses(value)) return value.classes.length === 0 ? 'none of them' : value.classes.join(', ')
  return shapesText(value.boxes.length, value.polygons?.length ?? 0)
}

/** Every class that a label names. */
export function namedClasses(value: LabelValue): string[] {
  if (isClass(value)) return [value.class]
  if (isClasses(value)) return value.classes
  return [...value.boxes, ...(value.polygons ?? [])].map((shape) => shape.class)
}
