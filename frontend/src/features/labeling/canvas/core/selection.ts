import type { Shape } from './shapes'

/** The ids of the selected shapes, in the order in which they were added; always the same object while nothing changes. */
export type Selection = readonly number[]

export const noShapes: Selection = []

/** With this shape, or without it where it was selected. */
export function toggled(selection: Selection, id: number): Selection {
  return selection.includes(id) ? selection.filter((each) => each !== id) : [...selection, id]
}

export function withAll(selection: Selection, ids: readonly number[]): Selection {
  const all = new Set([...selection, ...ids])
  return all.size === selection.length ? selection : [...all]
}

export function withNone(selection: Selection, ids: readonly number[]): Selection {
  const gone = new Set(ids)
  return selection.some((id) => gone.has(id)) ? selection.filter((id) => !gone.has(id)) : selection
}

/** Without what is no longer among the shapes. */
export function stillThere(selection: Selection, shapes: readonly Shape[]): Selection {
  const there = new Set(shapes.map(({ id }) => id))
  return selection.every((id) => there.has(id)) ? selection : selection.filter((id) => there.has(id))
}

/** The selected shapes, in the order of the image. */
export function members(selection: Selection, shapes: readonly Shape[]): readonly Shape[] {
  const ids = new Set(selection)
  return ids.size === 0 ? [] : shapes.filter(({ id }) => ids.has(id))
}

export function without(shapes: readonly Shape[], selection: Selection): readonly Shape[] {
  const ids = new Set(selection)
  return ids.size === 0 ? shapes : shapes.filter(({ id }) => !ids.has(id))
}

/** The shapes, with `change` made to the selected ones. */
export function changed(shapes: readonly Shape[], selection: Selection, change: Partial<Pick<Shape, 'class' | 'confirmed'>>): readonly Shape[] {
  const ids = new Set(selection)
  return shapes.map((shape) => (ids.has(shape.id) ? { ...shape, ...change } : shape))
}

/** The one class that all have; null where they differ, or there are none. */
export function classOf(shapes: readonly Shape[]): string | null {
  const [first, ...others] = shapes
  return first && others.every((shape) => shape.class === first.class) ? first.class : null
}
