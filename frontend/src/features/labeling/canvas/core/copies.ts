import type { Size } from './geometry'
import { fittedTo, isSound, type Shape } from './shapes'

/** Copies of shapes, cut to an image, perhaps another one than they were drawn on; what does not fit there is left out. */
export function copiesOf(shapes: readonly Shape[], size: Size, freshId: () => number): Shape[] {
  return shapes.flatMap((shape): Shape[] => {
    const fitted = fittedTo(shape, size)
    return fitted && isSound(fitted) ? [{ ...asCopy(fitted), id: freshId(), confirmed: true, suggested: false, score: null }] : []
  })
}

/** The attributes stay; an id and a track belong to the shape that was copied. */
function asCopy({ carried, ...shape }: Shape): Shape {
  return carried?.attributes ? { ...shape, carried: { attributes: carried.attributes } } : shape
}
