/** Careful reads of documents that the API leaves open: older versions lack what newer ones have. */

export type JsonRecord = Record<string, unknown>

export function record(value: unknown): JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {}
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

export function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

export type Interval = readonly [low: number, high: number]

export function interval(value: unknown): Interval | null {
  const [low, high] = list(value).map(number)
  return low != null && high != null ? [low, high] : null
}
