/** The search part of the planner, so that an address can be sent. */
export interface PlannerSearch {
  example?: string
  /** Inputs by the API's names: `fleet.days:260`. */
  with?: string[]
  /** One setup each, as JSON: architecture, machine, pace, its unit, epochs, machines. */
  training?: string[]
}

function texts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && one !== '')
}

/** Reads an address that anybody may have typed: what is no text is left out. */
export function plannerSearch(search: Record<string, unknown>): PlannerSearch {
  const [given, training] = [texts(search.with), texts(search.training)]
  return {
    ...(typeof search.example === 'string' && search.example !== '' ? { example: search.example } : {}),
    ...(given.length > 0 ? { with: given } : {}),
    ...(training.length > 0 ? { training } : {}),
  }
}
