import { digitName } from '../keys/keyboard'

const names = Array.from({ length: 20 }, (_, place) => (place < 10 ? '' : 'shift+') + String((place + 1) % 10))

/** Every key that a class can have, in the order in which they are given out. */
export const classKeys: readonly string[] = names

/** `shift+1` as it is printed on a key: `⇧1`. */
export function keyName(key: string | null): string | null {
  const place = names.indexOf(key ?? '')
  return place < 0 ? null : digitName(place)
}

/** The class whose own key stands at a place of the keyboard (0..19); archived classes answer no key. */
export function classAt<Class extends { key: string | null; archived: boolean }>(classes: readonly Class[], place: number): Class | undefined {
  const key = names[place]
  return key === undefined ? undefined : classes.find((each) => !each.archived && each.key === key)
}
