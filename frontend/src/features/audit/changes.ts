import type { AuditEvent } from '../../shared/api/types'

/** A field of the thing as it was and as it is; null: there was, or is, nothing. */
export interface FieldChange {
  field: string
  before: string | null
  after: string | null
  /** The event tells of no value before: it says what was given, and changed nothing. */
  isNew: boolean
}

/** Longer ones are cut, and shown whole on demand. */
const longest = 60

export function changesOf({ before, after }: Pick<AuditEvent, 'before' | 'after'>): FieldChange[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return fields.map((field) => ({ field, before: told(before?.[field]), after: told(after?.[field]), isNew: before?.[field] === undefined }))
}

function told(value: unknown): string | null {
  if (value === null || value === undefined || value === '') return null
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export function isLong(value: string | null): boolean {
  return value !== null && value.length > longest
}

export function cut(value: string): string {
  return isLong(value) ? `${value.slice(0, longest - 1).trimEnd()}…` : value
}
