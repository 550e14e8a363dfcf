import { outlineArea, type Point, type Size } from './geometry'

interface Edge {
  axis: 'x' | 'y'
  at: number
  /** 1: what is above `at` is beyond the edge; -1: what is below it. */
  sign: 1 | -1
}

/** One end of a chain, the points of a ring between two crossings of an edge. */
interface Crossing {
  place: number
  chain: number
  isEnd: boolean
}

type Ring = readonly Point[]

/**
 * The rings of what is left of a ring in an image, as the server cuts files: along an edge, what the ring encloses is between its
 * first and second crossing, its third and fourth. A concave ring may leave several.
 */
export function cutToImage(ring: Ring, { width, height }: Size): Ring[] {
  const edges: Edge[] = [{ axis: 'x', at: 0, sign: -1 }, { axis: 'x', at: width, sign: 1 }, { axis: 'y', at: 0, sign: -1 }, { axis: 'y', at: height, sign: 1 }]
  return edges.reduce<Ring[]>((rings, edge) => rings.flatMap((each) => cutAt(each, edge)), [ring])
}

function cutAt(ring: Ring, edge: Edge): Ring[] {
  if (ring.every((point) => depth(point, edge) <= 0)) return [ring]
  const chains = chainsOf(ring, edge)
  const partners = partnersOf(chains, edge.axis === 'x' ? 'y' : 'x')
  const rings: Ring[] = []
  const left = new Set(chains.keys())
  for (const first of chains.keys()) {
    const rest: Point[] = []
    let at: Crossing | undefined = { place: 0, chain: first, isEnd: false }
    while (at && left.delete(at.chain)) {
      const chain = chains[at.chain] ?? []
      rest.push(...(at.isEnd ? chain.toReversed() : chain))
      at = partners.get(keyOf(at.chain, !at.isEnd))
    }
    const distinct = rest.filter(({ x, y }, place) => x !== rest.at(place - 1)?.x || y !== rest.at(place - 1)?.y)
    if (outlineArea(distinct) > 0) rings.push(distinct)
  }
  return rings
}

/** How far a point is beyond an edge; negative inside. */
function depth(point: Point, { axis, at, sign }: Edge): number {
  return sign * (point[axis] - at)
}

/** Where the line through a and b crosses the edge: the same for b and a. */
function crossing(a: Point, b: Point, { axis, at }: Edge): Point {
  const along = axis === 'x' ? 'y' : 'x'
  const [low, high] = a[axis] < b[axis] ? [a, b] : [b, a]
  const share = (at - low[axis]) / (high[axis] - low[axis])
  const other = low[along] + share * (high[along] - low[along])
  return axis === 'x' ? { x: at, y: other } : { x: other, y: at }
}

function chainsOf(ring: Ring, edge: Edge): Point[][] {
  const isInside = (point: Point | undefined) => point !== undefined && depth(point, edge) < 0
  const start = ring.findIndex((point, place) => isInside(point) && !isInside(ring.at(place - 1)))
  if (start < 0) return []
  const chains: Point[][] = []
  let before = ring.at(start - 1)
  for (const point of [...ring.slice(start), ...ring.slice(0, start + 1)]) {
    if (before && isInside(point) !== isInside(before)) {
      const met = crossing(before, point, edge)
      if (isInside(point)) chains.push([met])
      else chains.at(-1)?.push(met)
    }
    if (isInside(point)) chains.at(-1)?.push(point)
    before = point
  }
  // The first point came once more, to close the ring.
  return chains.slice(0, -1)
}

/** For each end of a chain the one that it is joined with along the edge. */
function partnersOf(chains: readonly Ring[], along: 'x' | 'y'): Map<string, Crossing> {
  const ends = chains
    .flatMap((chain, number) => [false, true].map((isEnd): Crossing => ({ place: chain.at(isEnd ? -1 : 0)?.[along] ?? 0, chain: number, isEnd })))
    .toSorted((a, b) => a.place - b.place)
  // Where several cross in one place, going out and coming in alternate.
  for (let at = 1; at < ends.length; at += 1) {
    const one = ends[at]
    if (!one || one.isEnd !== ends[at - 1]?.isEnd) continue
    const other = ends.findIndex((each, place) => place > at && each.place === one.place && each.isEnd !== one.isEnd)
    if (other > 0) [ends[at], ends[other]] = [ends[other] ?? one, one]
  }
  const partners = new Map<string, Crossing>()
  for (let at = 0; at + 1 < ends.length; at += 2) {
    const [one, other] = [ends[at], ends[at + 1]]
    if (!one || !other) continue
    partners.set(keyOf(one.chain, one.isEnd), other)
    partners.set(keyOf(other.chain, other.isEnd), one)
  }
  return partners
}

function keyOf(chain: number, isEnd: boolean): string {
  return `${chain} ${isEnd}`
}
