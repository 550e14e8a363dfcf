/** The search part of the list of what a version got right and wrong, as the API asks for it. */
export interface OutcomesSearch {
  kind: 'cell' | 'missed' | 'wrong' | 'said'
  /** Of a cell: the true class and what was said; `-1` is the background. */
  label?: string
  predicted?: string
  /** Of missed, wrong and said: one class; all without it. */
  class?: string
  /** What scores less is not said; without it, as the version was evaluated. */
  threshold?: number
  slice?: string
  /** So sure the model was, and less sure than the second. */
  score_from?: number
  score_to?: number
  /** Only samples that this other version told right. */
  right_in?: string
  order?: 'class'
}

/** Reads an address that anybody may have typed: what makes no sense is left out. */
export function outcomesSearch(search: Record<string, unknown>): OutcomesSearch {
  const threshold = search.threshold === '' ? Number.NaN : Number(search.threshold)
  const rest: Omit<OutcomesSearch, 'kind' | 'label' | 'predicted' | 'class'> = {
    ...(threshold >= 0 && threshold <= 1 ? { threshold } : {}),
    ...text('slice', search.slice),
    ...share('score_from', search.score_from),
    ...share('score_to', search.score_to),
    ...text('right_in', search.right_in),
    ...(search.order === 'class' ? { order: 'class' } : {}),
  }
  const cell = { ...text('label', search.label), ...text('predicted', search.predicted) }
  if (search.kind === 'cell' && 'label' in cell && 'predicted' in cell) return { kind: 'cell', ...cell, ...rest }
  return { kind: search.kind === 'missed' || search.kind === 'said' ? search.kind : 'wrong', ...text('class', search.class), ...rest }
}

function share<Name extends string>(name: Name, value: unknown): Partial<Record<Name, number>> {
  const number = value === undefined || value === '' ? Number.NaN : Number(value)
  return (number >= 0 && number <= 1 ? { [name]: number } : {}) as Partial<Record<Name, number>>
}

function text<Name extends string>(name: Name, value: unknown): Partial<Record<Name, string>> {
  return (typeof value === 'string' && value !== '' ? { [name]: value } : {}) as Partial<Record<Name, string>>
}
