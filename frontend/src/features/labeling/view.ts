/** How an image is looked at: `scale` 1 fits it to the stage; `x`, `y` move its middle from the stage's, in px. */
export interface ImageView {
  brightness: number
  contrast: number
  scale: number
  x: number
  y: number
}

export interface StageSize {
  width: number
  height: number
}

/** In px from the stage's middle. */
export interface StagePoint {
  x: number
  y: number
}

export const plainView: ImageView = { brightness: 1, contrast: 1, scale: 1, x: 0, y: 0 }

/** Images smaller than this are shown in whole, sharp pixels: smoothing would invent what is not there. */
export const tiny = 128
const padding = 24
const largest = 24
const step = 0.2

/** Tiny images grow by a whole factor, large ones shrink to fit. */
export function fitted({ width, height }: StageSize, room: StageSize): number {
  const most = Math.min((room.width - 2 * padding) / width, (room.height - 2 * padding) / height)
  if (Math.max(width, height) > tiny) return Math.max(0.01, Math.min(most, 4))
  return Math.max(1, Math.floor(Math.min(most, 640 / Math.max(width, height))))
}

/** Zooms by `factor`, keeping the point under `at` (px from the stage's middle) where it is. */
export function zoomed(view: ImageView, factor: number, at: StagePoint): ImageView {
  const scale = Math.min(largest, Math.max(1, view.scale * factor))
  if (scale === 1) return { ...view, scale, x: 0, y: 0 }
  const grown = scale / view.scale
  return { ...view, scale, x: at.x - (at.x - view.x) * grown, y: at.y - (at.y - view.y) * grown }
}

/** Moves the image, as far as its middle stays on the stage or it still covers the stage's middle. */
export function panned(view: ImageView, by: StagePoint, image: StageSize): ImageView {
  const within = (value: number, size: number) => Math.min(size / 2, Math.max(-size / 2, value))
  return { ...view, x: within(view.x + by.x, image.width), y: within(view.y + by.y, image.height) }
}

/** Two fingers that went from one pair of places to another: what was between them stays there. `fit`: the image as it fits. */
export function pinched(view: ImageView, from: readonly [StagePoint, StagePoint], to: readonly [StagePoint, StagePoint], fit: StageSize): ImageView {
  const apart = ([a, b]: readonly [StagePoint, StagePoint]) => Math.max(1, Math.hypot(b.x - a.x, b.y - a.y))
  const between = ([a, b]: readonly [StagePoint, StagePoint]) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 })
  const [before, after] = [between(from), between(to)]
  const next = zoomed(view, apart(to) / apart(from), before)
  const size = { width: fit.width * next.scale, height: fit.height * next.scale }
  return next.scale === 1 ? next : panned(next, { x: after.x - before.x, y: after.y - before.y }, size)
}

/** What an action of the key map does to the view; null for actions that are about something else. */
export function viewAfter(action: string, view: ImageView): ImageView | null {
  switch (action) {
    case 'zoom':
      return view.scale > 1 ? { ...view, scale: 1, x: 0, y: 0 } : { ...view, scale: 2 }
    case 'zoomIn':
      return zoomed(view, 1.25, { x: 0, y: 0 })
    case 'zoomOut':
      return zoomed(view, 0.8, { x: 0, y: 0 })
    case 'brighter':
      return { ...view, brightness: stepped(view.brightness, step) }
    case 'darker':
      return { ...view, brightness: stepped(view.brightness, -step) }
    case 'contrastUp':
      return { ...view, contrast: stepped(view.contrast, step) }
    case 'contrastDown':
      return { ...view, contrast: stepped(view.contrast, -step) }
    default:
      return null
  }
}

function stepped(value: number, by: number): number {
  return Math.min(2.4, Math.max(0.4, Math.round((value + by) * 10) / 10))
}
