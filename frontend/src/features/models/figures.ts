/** `5.7220458984375e-06` -> `5.7e-6`; zero stays zero. */
export function tiny(value: number): string {
  return value === 0 ? '0' : value >= 0.001 ? Number(value.toPrecision(2)).toString() : value.toExponential(1)
}

/** `[1, 28, 28]` -> `1 × 28 × 28`. */
export function shapeWords(shape: readonly number[]): string {
  return shape.length === 0 ? 'one number' : shape.join(' × ')
}
