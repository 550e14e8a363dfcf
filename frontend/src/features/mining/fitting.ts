/** What stands in place of a model where a job has none. */
export const withoutModel = 'ImageNet features'

/** Of the upright image, in pixels; null where it was never measured. */
export function sizeOf({ width, height }: { width: number | null; height: number | null }): { width: number; height: number } | null {
  return width !== null && height !== null ? { width, height } : null
}
