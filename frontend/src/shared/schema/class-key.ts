import { digitIndex, digitName, type Stroke } from '../keys/keyboard'

const names = Array.from({ length: 20 }, (_, place) => (place < 10 ? '' : 'shift+') + String((place + 1) % 10))

/** Every key that a class can have, in the order in which they are given out. */
export const classKeys: readonly string[] = names

/** `shift+1` as it is printed on a key: `⇧1`. */
export function keyName(key: string): string | null {
  const place = names.indexOf(key)
  return place < 0 ? null : digitName(place)
}

/** The class whose own key was pressed; archived classes answer no key. */
export function classOfStroke<Class extends { key: string; archived: boolean }>(stroke: Stroke, classes: readonly Class[]): Class | undefined {
  const place = digitIndex(stroke)
  const key = place === null ? undefined : names[place]
  return classes.find((each) => !each.archived && each.key !== '' && each.key === key)
}
