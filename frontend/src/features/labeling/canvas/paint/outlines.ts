import { ringsOf, type Shape } from '../core/shapes'

/** Shapes that are drawn alike, as one path in image pixels. */
export interface Batch {
  class: string
  confirmed: boolean
  path: Path2D
}

export function trace(path: Path2D, shape: Shape): void {
  if (shape.kind === 'box') {
    const [x1, y1, x2, y2] = shape.corners
    path.rect(x1, y1, x2 - x1, y2 - y1)
    return
  }
  for (const ring of ringsOf(shape)) {
    ring.forEach(({ x, y }, place) => (place === 0 ? path.moveTo(x, y) : path.lineTo(x, y)))
    path.closePath()
  }
}

/** One path for each class and state: a thousand strokes of their own would take a thousand times as long. */
export function batched(shapes: readonly Shape[]): Batch[] {
  const batches = new Map<string, Batch>()
  for (const shape of shapes) {
    const key = `${shape.confirmed ? 1 : 0}${shape.class}`
    let batch = batches.get(key)
    if (!batch) batches.set(key, (batch = { class: shape.class, confirmed: shape.confirmed, path: new Path2D() }))
    trace(batch.path, shape)
  }
  return [...batches.values()]
}
