import type { Label } from '../api/types'

/** A label in words; null means that nobody has said anything yet. */
export function labelText(label: Label | string | null): string | null {
  if (label === null || typeof label === 'string') return label
  if ('class' in label) return label.class
  return label.boxes.length === 1 ? '1 box' : `${label.boxes.length} boxes`
}

export function labelClass(label: Label | null): string | null {
  return label !== null && 'class' in label ? label.class : null
}
