/** `{class}` or `{boxes: [..]}`: what a dataset's task makes it. */
type Label = Record<string, unknown>

/** A label in words; null means that nobody has said anything yet. */
export function labelText(label: Label | null): string | null {
  if (label === null) return null
  if (Array.isArray(label.boxes)) return label.boxes.length === 1 ? '1 box' : `${label.boxes.length} boxes`
  return labelClass(label)
}

export function labelClass(label: Label | null): string | null {
  return typeof label?.class === 'string' ? label.class : null
}
