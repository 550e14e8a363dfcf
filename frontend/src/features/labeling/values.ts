import type { ClassesSuggestion, ClassesValue, ClassSuggestion, ClassValue, LabelValue, ShapesValue, TaskFacts } from '../../shared/api/types'
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

/** What the model guesses, where it guesses classes of the whole image. */
export function classSuggestion({ suggestion }: Pick<TaskFacts, 'suggestion'>): ClassSuggestion | ClassesSuggestion | null {
  return suggestion !== null && ('class' in suggestion || 'classes' in suggestion) ? suggestion : null
}

/** The classes that a suggestion names; none of them is a suggestion too. */
export function suggestedClasses(suggestion: ClassSuggestion | ClassesSuggestion): readonly string[] {
  return 'class' in suggestion ? [suggestion.class] : suggestion.classes
}

/** What an annotator says who agrees with all that the model says; null where it says nothing. */
export function suggestedValue(task: Pick<TaskFacts, 'suggestion'>, several: boolean): LabelValue | null {
  const { suggestion } = task
  if (suggestion === null) return null
  if ('boxes' in suggestion) return suggestedShapes(suggestion)
  if (several) return { classes: [...suggestedClasses(suggestion)] }
  return 'class' in suggestion ? { class: suggestion.class } : null
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
