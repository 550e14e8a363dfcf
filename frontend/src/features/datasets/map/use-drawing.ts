import { type RefObject, useEffect, useRef } from 'react'

import { faintInk, markOf, markOfNone } from './marks'
import type { Points } from './points'
import { type Picture, pixelOf, rasterise } from './raster'
import type { MapView } from './view'

/** Few points are large enough to hit, many small enough to tell apart. */
function radiusFor(count: number): number {
  return count > 20_000 ? 1.5 : count > 2_000 ? 3 : 4
}

interface Drawing {
  points: Points
  groups: Uint16Array
  names: readonly string[]
  classes: readonly string[]
  selected: Uint8Array | null
  dark: boolean
}

/** Draws once a frame at most, however often the view changes in it. */
export function useDrawing(canvas: RefObject<HTMLCanvasElement | null>, { width, height }: { width: number; height: number }, view: MapView, drawing: Drawing): void {
  const { points, groups, names, classes, selected, dark } = drawing
  const image = useRef<ImageData | null>(null)
  useEffect(() => {
    const element = canvas.current
    if (!element || width === 0 || height === 0) return
    const frame = requestAnimationFrame(() => {
      const ratio = Math.min(2, window.devicePixelRatio || 1)
      const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)]
      if (element.width !== wide || element.height !== high) [element.width, element.height] = [wide, high]
      const context = element.getContext('2d', { alpha: false })
      if (!context) return
      if (image.current?.width !== wide || image.current.height !== high) image.current = context.createImageData(wide, high)
      const sharp = { scale: view.scale * ratio, x: view.x * ratio, y: view.y * ratio }
      rasterise(new Uint32Array(image.current.data.buffer), { width: wide, height: high }, sharp, {
        ...inks(element, names, classes, dark),
        xy: points.xy,
        groups,
        selected,
        radius: Math.round(radiusFor(points.count) * ratio),
      })
      context.putImageData(image.current, 0, 0)
    })
    return () => cancelAnimationFrame(frame)
  }, [canvas, width, height, view.scale, view.x, view.y, points, groups, names, classes, selected, dark])
}

function inks(element: HTMLElement, names: readonly string[], classes: readonly string[], dark: boolean): Pick<Picture, 'marks' | 'faint' | 'ground'> {
  const style = getComputedStyle(element)
  return {
    marks: [...names.map((name) => markOf(classes, name)), markOfNone(style)],
    faint: faintInk(dark),
    ground: pixelOf(style.getPropertyValue('--surface')),
  }
}
