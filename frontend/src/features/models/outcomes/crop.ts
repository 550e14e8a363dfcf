export type Corners = readonly [number, number, number, number]

/** Where an image lies in a square that shows a part of it, in shares of the square's side. */
export interface Crop {
  left: number
  top: number
  width: number
  height: number
  /** The side of the square in px of the image. */
  side: number
}

/** What is seen around a box, as a multiple of its longer side. */
const context = 1.8
/** px of the image: less would be a few grains. */
const leastSide = 32
/** px: the longest side of a thumbnail. */
const thumbnail = 192

/** The square around boxes, shares of an image of `width` x `height` px; without a box all of the image. */
export function cropOf(boxes: readonly Corners[], width: number, height: number): Crop {
  const longest = Math.max(width, height)
  const [x1, y1, x2, y2] = boxes.length === 0 ? [0, 0, width, height] : around(boxes, width, height)
  const wanted = boxes.length === 0 ? longest : Math.max(leastSide, context * Math.max(x2 - x1, y2 - y1))
  const side = Math.min(longest, wanted)
  const [x, y] = [inside((x1 + x2 - side) / 2, width - side), inside((y1 + y2 - side) / 2, height - side)]
  return { left: -x / side, top: -y / side, width: width / side, height: height / side, side }
}

/** Whether a thumbnail shows the crop as sharply as a tile of so many px can. */
export function thumbnailServes({ side }: Crop, width: number, height: number, tile: number): boolean {
  const longest = Math.max(width, height)
  return longest <= thumbnail || (side * thumbnail) / longest >= tile
}

function around(boxes: readonly Corners[], width: number, height: number): Corners {
  const [low, high] = [Math.min, Math.max]
  return [
    low(...boxes.map(([x]) => x)) * width,
    low(...boxes.map(([, y]) => y)) * height,
    high(...boxes.map(([, , x]) => x)) * width,
    high(...boxes.map(([, , , y]) => y)) * height,
  ]
}

/** Within 0..room, or in the middle where there is less than none. */
function inside(at: number, room: number): number {
  return room < 0 ? room / 2 : Math.min(Math.max(at, 0), room)
}
