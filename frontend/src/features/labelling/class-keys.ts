import { digitName } from '../../shared/keys/keyboard'

/** The part of a class of the label schema that says where its key is: `1`..`0`, `shift+1`..`shift+0`. */
export interface KeyedClass {
  name: string
  key?: string | null
}

/**
 * The class behind each place on the keyboard: 1-9, 0 are places 0 to 9, with Shift 10 to 19.
 *
 * A class keeps the key that the label schema gave it once. Where no schema says, classes stand in the queue's order, but
 * classes that are digits themselves keep their own keys: a 3 that is answered by pressing 4 would be answered wrongly all day.
 */
export class ClassKeys {
  private readonly places = new Map<string, number>()

  constructor(readonly classes: readonly KeyedClass[]) {
    const digits = classes.every(({ name }) => /^\d$/.test(name))
    classes.forEach(({ name, key }, index) => {
      const place = key === undefined ? (digits ? digitPlace(name) : index) : keyPlace(key ?? '')
      if (place !== null && place < 20) this.places.set(name, place)
    })
  }

  at(place: number): string | undefined {
    return this.classes.find(({ name }) => this.places.get(name) === place)?.name
  }

  /** What is printed on the class's key; null when it has none. */
  label(name: string): string | null {
    const place = this.places.get(name)
    return place === undefined ? null : digitName(place)
  }
}

function digitPlace(digit: string): number {
  return digit === '0' ? 9 : Number(digit) - 1
}

function keyPlace(key: string): number | null {
  const [, shift, digit] = /^(shift\+)?(\d)$/i.exec(key) ?? []
  if (digit === undefined) return null
  return digitPlace(digit) + (shift === undefined ? 0 : 10)
}
