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

/** Names and sizes of the groups that points are coloured by; what has none comes last, and what is of `several` too. */
export function groupsOf(points: Points, by: ColourBy, several: boolean): Group[] {
  const names = namesOf(points, by)
  const counts = countsOf(placesOf(points, by), names.length + 1)
  const groups = names.map((name, place) => ({ name, count: counts[place] ?? 0 }))
  const rest = counts[names.length] ?? 0
  return rest > 0 ? [...groups, { name: several ? 'no class, or several' : 'no class', count: rest }] : groups
}

export function namesOf(points: Points, by: ColourBy): string[] {
  return by === 'label' ? points.classes : by === 'split' ? points.splits : points.predictedClasses
}

/** The place of each point's group in `namesOf`; one more than the last for those without one. */
export function placesOf(points: Points, by: ColourBy): Uint16Array {
  const values = by === 'label' ? points.label : by === 'split' ? points.split : points.predicted
  const rest = namesOf(points, by).length
  const places = new Uint16Array(points.count)
  for (let index = 0; index < points.count; index += 1) places[index] = Math.min(rest, values?.[index] ?? none)
  return places
}

/** How many points each place has; with `selected`, of those that are. */
export function countsOf(places: Uint16Array, groups: number, selected: Uint8Array | null = null): Uint32Array {
  const counts = new Uint32Array(groups)
  for (let index = 0; index < places.length; index += 1) {
    const place = places[index] ?? 0
    if (!selected || selected[index] === 1) counts[place] = (counts[place] ?? 0) + 1
  }
  return counts
}
