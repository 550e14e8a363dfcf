import type { BoxShape, ShapesValue } from '../../shared/api/types'

type Corners = BoxShape['box']

/** Shapes that are being corrected. */
export interface Editing {
  shapes: ShapesValue
  /** Which box is chosen. */
  selected: number | null
  /** The class of the next box that is drawn. */
  brush: string
  /** Of the image, in px. */
  width: number
  height: number
}

export interface ImagePoint {
  x: number
  y: number
}

/** Thinner boxes than this are slips of the hand. */
const thinnest = 2

/** Chooses the smallest box around a place: inside a large one, the small one is meant. */
export function chosenAt(editing: Editing, { x, y }: ImagePoint): Editing {
  const around = editing.shapes.boxes
    .map(({ box: [x1, y1, x2, y2] }, place) => ({ place, area: (x2 - x1) * (y2 - y1), inside: x1 <= x && x <= x2 && y1 <= y && y <= y2 }))
    .filter(({ inside }) => inside)
    .sort((a, b) => a.area - b.area)
  return { ...editing, selected: around[0]?.place ?? null }
}

export function withBoxes(editing: Editing, boxes: BoxShape[], selected: number | null): Editing {
  return { ...editing, shapes: { ...editing.shapes, boxes }, selected }
}

export function drawn(editing: Editing, from: ImagePoint, to: ImagePoint): Editing {
  const box = ordered([from.x, from.y, to.x, to.y], editing)
  if (box[2] - box[0] < thinnest || box[3] - box[1] < thinnest) return chosenAt(editing, to)
  const boxes = [...editing.shapes.boxes, { class: editing.brush, box }]
  return withBoxes(editing, boxes, boxes.length - 1)
}

export function removed(editing: Editing): Editing {
  const { boxes } = editing.shapes
  const rest = boxes.filter((_, place) => place !== editing.selected)
  return withBoxes(editing, rest, rest.length === 0 ? null : Math.min(editing.selected ?? 0, rest.length - 1))
}

/** The class of the chosen box, and of the next one that is drawn. */
export function classed(editing: Editing, name: string): Editing {
  const boxes = editing.shapes.boxes.map((each, place) => (place === editing.selected ? { ...each, class: name } : each))
  return { ...withBoxes(editing, boxes, editing.selected), brush: name }
}

export function stepped(editing: Editing, step: 1 | -1): Editing {
  const { length } = editing.shapes.boxes
  if (length === 0) return editing
  const from = editing.selected ?? (step === 1 ? -1 : 0)
  return { ...editing, selected: (from + step + length) % length }
}

/** Moves the chosen box inside the image. */
export function moved(editing: Editing, dx: number, dy: number): Editing {
  return changed(editing, ([x1, y1, x2, y2]) => {
    const right = Math.min(Math.max(dx, -x1), editing.width - x2)
    const down = Math.min(Math.max(dy, -y1), editing.height - y2)
    return [x1 + right, y1 + down, x2 + right, y2 + down]
  })
}

/** Moves one corner of the chosen box; the opposite one stays. */
export function pulled(editing: Editing, corner: Corner, to: ImagePoint): Editing {
  return changed(editing, ([x1, y1, x2, y2]) => [
    corner.left ? to.x : x1,
    corner.top ? to.y : y1,
    corner.left ? x2 : to.x,
    corner.top ? y2 : to.y,
  ])
}

export interface Corner {
  left: boolean
  top: boolean
}

/** Once the hand lets go: no corner crosses another, and nothing is thinner than a slip. */
export function settled(editing: Editing): Editing {
  return changed(editing, (box) => {
    const [x1, y1, x2, y2] = ordered(box, editing)
    return [x1, y1, Math.max(x2, Math.min(x1 + thinnest, editing.width)), Math.max(y2, Math.min(y1 + thinnest, editing.height))]
  })
}

function changed(editing: Editing, change: (box: Corners) => Corners): Editing {
  const boxes = editing.shapes.boxes.map((each, place) => (place === editing.selected ? { ...each, box: change(each.box) } : each))
  return withBoxes(editing, boxes, editing.selected)
}

function ordered([x1, y1, x2, y2]: Corners, { width, height }: Editing): Corners {
  const inX = (x: number) => Math.min(Math.max(round(x), 0), width)
  const inY = (y: number) => Math.min(Math.max(round(y), 0), height)
  return [inX(Math.min(x1, x2)), inY(Math.min(y1, y2)), inX(Math.max(x1, x2)), inY(Math.max(y1, y2))]
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
