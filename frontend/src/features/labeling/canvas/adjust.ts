/** How the image is shown; what it is does not change. */
export interface Adjust {
  brightness: number
  contrast: number
}

export const plainAdjust: Adjust = { brightness: 1, contrast: 1 }
export const adjustRange = { least: 0.4, most: 2.4, step: 0.2 } as const

/** The image after a key; null when the key is not for this. */
export function adjusted(adjust: Adjust, action: string): Adjust | null {
  switch (action) {
    case 'brighter':
      return { ...adjust, brightness: stepped(adjust.brightness, 1) }
    case 'darker':
      return { ...adjust, brightness: stepped(adjust.brightness, -1) }
    case 'contrastUp':
      return { ...adjust, contrast: stepped(adjust.contrast, 1) }
    case 'contrastDown':
      return { ...adjust, contrast: stepped(adjust.contrast, -1) }
    default:
      return null
  }
}

function stepped(value: number, direction: 1 | -1): number {
  const next = Math.round((value + direction * adjustRange.step) * 10) / 10
  return Math.min(adjustRange.most, Math.max(adjustRange.least, next))
}
