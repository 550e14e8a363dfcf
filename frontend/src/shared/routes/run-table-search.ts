/** The search part of the table of runs. */
export interface RunTableSearch {
  /** Of this model alone. */
  model?: string
  /** What values have to be, as `recipe.steps:100..200`. */
  where?: string[]
  /** Columns, where somebody chose them. */
  show?: string[]
  by?: string
  up?: true
}

function texts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one !== '')
}

/** Reads an address that anybody may have typed: what makes no sense is left out. */
export function runTableSearch(search: Record<string, unknown>): RunTableSearch {
  const [where, show] = [texts(search.where), texts(search.show)]
  return {
    ...(typeof search.model === 'string' && search.model !== '' ? { model: search.model } : {}),
    ...(where.length > 0 ? { where } : {}),
    ...(show.length > 0 ? { show } : {}),
    ...(typeof search.by === 'string' && search.by !== '' ? { by: search.by } : {}),
    ...(search.up === true || search.up === 'true' ? { up: true as const } : {}),
  }
}
