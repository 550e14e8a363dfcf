import type { LabelClass } from '../../../../shared/api/types'

export interface ShapeMark {
  colour: string
  /** Lengths in screen pixels of line and gap; empty is an unbroken line. */
  dash: readonly number[]
  /** Black or white, whichever can be read on the colour. */
  ink: string
}

/** No dash is like that of a suggestion. */
const dashes: readonly (readonly number[])[] = [[], [18, 4], [18, 4, 4, 4], [3, 3]]
export const suggestedDash: readonly number[] = [8, 7]

/** How each class is drawn. */
export class Marks {
  private readonly known = new Map<string, ShapeMark>()

  constructor(classes: readonly Pick<LabelClass, 'name' | 'colour' | 'dash'>[]) {
    for (const { name, colour, dash } of classes) this.known.set(name, markOf(colour, dash))
  }

  of(name: string): ShapeMark {
    return this.known.get(name) ?? unknown
  }
}

function markOf(colour: string, dash: number): ShapeMark {
  return { colour, dash: dashes[dash % dashes.length] ?? [], ink: inkOn(colour) }
}

/** By WCAG's relative luminance: at 0.18 black and white contrast alike. */
export function inkOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((place) => linear(parseInt(colour.slice(place, place + 2), 16) / 255))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? '#000' : '#fff'
}

function linear(part: number): number {
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
}

const unknown = markOf('#999999', 0)
