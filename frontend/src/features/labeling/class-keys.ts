import { classAt, keyName } from '../../shared/classes/class-key'

/** The part of a class of the label schema that says which key it has: `1`..`0`, `shift+1`..`shift+0`, or none. */
export interface KeyedClass {
  name: string
  key: string | null
  archived: boolean
}

/** Classes by the keys that the label schema gave them once: 1-9, 0 are places 0 to 9, with Shift 10 to 19. */
export class ClassKeys {
  constructor(readonly classes: readonly KeyedClass[]) {}

  at(place: number): string | undefined {
    return classAt(this.classes, place)?.name
  }

  /** What is printed on the class's key; null when it has none. */
  label(name: string): string | null {
    return keyName(this.classes.find((each) => each.name === name)?.key ?? null)
  }
}
