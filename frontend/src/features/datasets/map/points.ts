/** The points of a map as the server packs them: a line of JSON, and columns behind it, little-endian. */

export interface Points {
  count: number
  /** x and y in turns. */
  xy: Float32Array
  sample: Uint32Array
  /** Places in `classes`; `none` for no class, or several. */
  label: Uint16Array
  split: Uint8Array
  /** What the map's model says, where it has one: places in `predictedClasses`. */
  predicted: Uint16Array | null
  classes: string[]
  splits: string[]
  predictedClasses: string[]
}

export const none = 65_535

interface Header {
  count: number
  classes: string[]
  splits: string[]
  predicted_classes?: string[]
  columns: { name: string; width: number; offset: number }[]
}

const newline = 10

/** Raises an error for what is no map. */
export function readPoints(buffer: ArrayBuffer): Points {
  const bytes = new Uint8Array(buffer)
  const end = bytes.indexOf(newline) + 1
  if (end === 0) throw new Error('The points of the map came without their header.')
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))) as Header
  const at = (name: string) => {
    const column = header.columns.find((each) => each.name === name)
    return column ? { start: end + column.offset, items: header.count * column.width } : null
  }
  const shorts = (name: string) => {
    const place = at(name)
    return place && new Uint16Array(buffer, place.start, place.items)
  }
  const [xy, sample, split] = [at('xy'), at('sample'), at('split')]
  const label = shorts('class')
  if (!xy || !sample || !split || !label) throw new Error('The points of the map lack a column.')
  return {
    count: header.count,
    xy: new Float32Array(buffer, xy.start, xy.items),
    sample: new Uint32Array(buffer, sample.start, sample.items),
    label,
    split: new Uint8Array(buffer, split.start, split.items),
    predicted: shorts('predicted'),
    classes: header.classes,
    splits: header.splits,
    predictedClasses: header.predicted_classes ?? [],
  }
}

export type ColourBy = 'label' | 'split' | 'predicted'

export interface Group {
  name: string
  /** Points of it. */
  count: number
}

/** Names and sizes of the groups that points are coloured by; what has none comes last. */
export function groupsOf(points: Points, by: ColourBy): Group[] {
  const names = namesOf(points, by)
  const counts = new Array<number>(names.length + 1).fill(0)
  for (let index = 0; index < points.count; index += 1) {
    const group = groupAt(points, by, index, names.length)
    counts[group] = (counts[group] ?? 0) + 1
  }
  const groups = names.map((name, place) => ({ name, count: counts[place] ?? 0 }))
  const rest = counts[names.length] ?? 0
  return rest > 0 ? [...groups, { name: 'no class', count: rest }] : groups
}

export function namesOf(points: Points, by: ColourBy): string[] {
  return by === 'label' ? points.classes : by === 'split' ? points.splits : points.predictedClasses
}

/** The group of a point; `names` for those without one. */
export function groupAt(points: Points, by: ColourBy, index: number, names: number): number {
  const value = (by === 'label' ? points.label[index] : by === 'split' ? points.split[index] : points.predicted?.[index]) ?? none
  return value < names ? value : names
}
