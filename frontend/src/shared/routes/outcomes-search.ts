/** The search part of the list of what a version got right and wrong, as the API asks for it. */
export interface OutcomesSearch {
  kind: 'cell' | 'missed' | 'wrong'
  /** Of a cell: the true class and what was said; `-1` is the background. */
  label?: string
  predicted?: string
  /** Of missed and wrong: one class; all without it. */
  class?: string
  /** What scores less is not said; without it, as the version was evaluated. */
  threshold?: number
  slice?: string
  order?: 'class'
}

/** Reads an address that anybody may have typed: what makes no sense is left out. */
export function outcomesSearch(search: Record<string, unknown>): OutcomesSearch {
  const threshold = search.threshold === '' ? Number.NaN : Number(search.threshold)
  const rest: Pick<OutcomesSearch, 'threshold' | 'slice' | 'order'> = {
    ...(threshold >= 0 && threshold <= 1 ? { threshold } : {}),
    ...text('slice', search.slice),
    ...(search.order === 'class' ? { order: 'class' } : {}),
  }
  const cell = { ...text('label', search.label), ...text('predicted', search.predicted) }
  if (search.kind === 'cell' && 'label' in cell && 'predicted' in cell) return { kind: 'cell', ...cell, ...rest }
  return { kind: search.kind === 'missed' ? 'missed' : 'wrong', ...text('class', search.class), ...rest }
}

function text<Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  return (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as Partial<Record<Name, string>>
}
