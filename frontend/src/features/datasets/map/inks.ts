import type { SpatialIndex } from './spatial-index'

/** Added to the mark of a point that is drawn faint, below the others. */
export const quiet = 0x8000

/** The marks of all points, in the order of the index. What has no class is quiet, or all that is not selected. */
export function inksOf({ order }: SpatialIndex, groups: Uint16Array, unclassed: number, selected: Uint8Array | null): Uint16Array {
  const inks = new Uint16Array(order.length)
  for (let place = 0; place < order.length; place += 1) {
    const point = order[place] ?? 0
    const group = groups[point] ?? unclassed
    inks[place] = (selected ? selected[point] === 1 : group !== unclassed) ? group : group + quiet
  }
  return inks
}

/** Places in the index of the points that are not quiet; null for more than `most`. */
export function fewLoud(inks: Uint16Array, most: number): Uint32Array | null {
  const found: number[] = []
  for (let place = 0; place < inks.length; place += 1) {
    if ((inks[place] ?? quiet) >= quiet) continue
    if (found.length === most) return null
    found.push(place)
  }
  return Uint32Array.from(found)
}
