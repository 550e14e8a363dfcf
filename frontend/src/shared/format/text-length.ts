import { count } from './numbers'

/** Why a text is too long, with both numbers; null where it is not. It is counted as the server counts it: an emoji is one character. */
export function lengthFault(text: string, most: number | undefined): string | null {
  if (most === undefined || text.length <= most) return null
  const { length } = Array.from(text)
  return length > most ? `must have at most ${count(most)} characters, not ${count(length)}.` : null
}
