/** The search part of a dataset grid's address; other pages link into it. */
export interface GridSearch {
  v?: number
  split?: string
  label?: string
  labelled?: boolean
  q?: string
}

export function gridSearch(search: Record<string, unknown>): GridSearch {
  const { v, split, label, labelled, q } = search
  return {
    ...(Number.isInteger(Number(v)) && Number(v) > 0 ? { v: Number(v) } : {}),
    ...(text(split) ? { split: text(split) } : {}),
    ...(text(label) ? { label: text(label) } : {}),
    ...(typeof labelled === 'boolean' ? { labelled } : {}),
    ...(text(q) ? { q: text(q) } : {}),
  }
}

/** The router reads `label=7` as a number; a class may well be called 7. */
function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

export function without(search: GridSearch, name: keyof GridSearch): GridSearch {
  return Object.fromEntries(Object.entries(search).filter(([key]) => key !== name))
}
