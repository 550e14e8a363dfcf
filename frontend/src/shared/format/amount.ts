/** A number that somebody typed; null where it is none. */
export function amount(text: string): number | null {
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) ? null : value
}

/** A whole number within these bounds that somebody typed; null where it is none. */
export function wholeNumber(text: string, least: number, most: number): number | null {
  const value = amount(text)
  return value !== null && Number.isInteger(value) && value >= least && value <= most ? value : null
}

/** What is wrong with a number that somebody typed, such as `1,000` or `ten`; null when nothing is, or nothing was typed. */
export function numberFault(text: string): string | null {
  return text.trim() !== '' && amount(text) === null ? 'Type a number, with a point for decimals.' : null
}

/** `given({ labels: 5, money: null })` -> `{ labels: 5 }`: only what is there. */
export function given<T extends Record<string, unknown>>(values: T): { [Name in keyof T]?: NonNullable<T[Name]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined)) as { [Name in keyof T]?: NonNullable<T[Name]> }
}

/** What is wrong with a percentage that somebody typed; null when nothing is, or nothing was typed. */
export function percentFault(text: string, most: number): string | null {
  if (text.trim() === '') return null
  const value = amount(text)
  return value === null || value < 0 || value > most ? `Type a percentage from 0 to ${most}.` : null
}
