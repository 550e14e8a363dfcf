/** `{class}` or `{boxes: [..]}`: what a dataset's task makes it. */
type Label = Record<string, unknown>

/** x1, y1, x2, y2 in px of the upright image. */
export interface Box {
  class: string
  box: [number, number, number, number]
}

/** The boxes of a detection label; none for another label or no label. */
export function labelBoxes(label: Label | null): Box[] {
  return Array.isArray(label?.boxes) ? (label.boxes as Box[]) : []
}

/** A label in words; null means that nobody has said anything yet. */
export function labelText(label: Label | null): string | null {
  if (label === null) return null
  if (Array.isArray(label.boxes)) return label.boxes.length === 1 ? '1 box' : `${label.boxes.length} boxes`
  return labelClass(label)
}

export function labelClass(label: Label | null): string | null {
  return typeof label?.class === 'string' ? label.class : null
}
