import { digitName } from '../../shared/keys/keyboard'

/**
 * The class behind each place on the keyboard: 1-9, 0 are places 0 to 9, with Shift 10 to 19.
 *
 * Classes stand in the queue's order, but classes that are digits themselves keep their own keys: a 3 that is answered by
 * pressing 4 would be answered wrongly all day.
 */
export function classAt(classes: readonly string[], place: number): string | undefined {
  if (!allDigits(classes)) return classes[place]
  const digit = String((place + 1) % 10)
  return place < 10 && classes.includes(digit) ? digit : undefined
}

/** What is printed on the class's key; null when it has none. */
export function classKey(classes: readonly string[], name: string): string | null {
  return allDigits(classes) ? name : digitName(classes.indexOf(name))
}

function allDigits(classes: readonly string[]): boolean {
  return classes.every((name) => /^\d$/.test(name))
}
