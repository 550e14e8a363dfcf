import { type RefObject, useEffect, useMemo, useRef } from 'react'

import { fewLoud, inksOf } from './inks'
import { faintInk, markOf, markOfNone } from './marks'
import type { Drawn, MapMark, Picture } from './picture'
import { pixelOf, rasterise } from './raster'
import type { SpatialIndex } from './spatial-index'
import { levelsOf, type Squares } from './squares'
import type { MapSize, MapView } from './view'

interface Drawing {
  index: SpatialIndex
  groups: Uint16Array
  names: readonly string[]
  classes: readonly string[]
  selected: Uint8Array | null
  drawn: Drawn
  dark: boolean
}

/** What is kept from one frame to the next, so that moving the map allocates nothing. */
interface Kept {
  image: ImageData | null
  squares: Squares | null
}

const mostFew = 2_000

/** Draws once a frame at most, however often the view changes in it. */
export function useDrawing(canvas: RefObject<HTMLCanvasElement | null>, { width, height }: MapSize, view: MapView, drawing: Drawing): void {
  const { index, groups, names, classes, selected, drawn, dark } = drawing
  const kept = useRef<Kept>({ image: null, squares: null })
  const inks = useMemo(() => inksOf(index, groups, names.length, selected), [index, groups, names, selected])
  const few = useMemo(() => fewLoud(inks, mostFew), [inks])
  const levels = useMemo(() => levelsOf(index, inks), [index, inks])
  const marks = useMemo(() => names.map((name) => markOf(classes, name)), [names, classes])
  useEffect(() => {
    const element = canvas.current
    if (!element || width === 0 || height === 0) return
    const frame = requestAnimationFrame(() => {
      const ratio = Math.min(2, window.devicePixelRatio || 1)
      const sharp = { scale: view.scale * ratio, x: view.x * ratio, y: view.y * ratio }
      const size = { width: Math.round(width * ratio), height: Math.round(height * ratio) }
      draw(element, size, sharp, { ...colours(element, marks, dark), index, inks, few, levels, drawn, ratio }, kept.current)
    })
    return () => cancelAnimationFrame(frame)
  }, [canvas, width, height, view.scale, view.x, view.y, index, inks, few, levels, marks, drawn, dark])
}

function draw(element: HTMLCanvasElement, size: MapSize, view: MapView, picture: Picture, kept: Kept): void {
  if (element.width !== size.width || element.height !== size.height) [element.width, element.height] = [size.width, size.height]
  const context = element.getContext('2d', { alpha: false })
  if (!context) return
  if (kept.image?.width !== size.width || kept.image.height !== size.height) kept.image = context.createImageData(size.width, size.height)
  kept.squares = rasterise(new Uint32Array(kept.image.data.buffer), size, view, picture, kept.squares)
  context.putImageData(kept.image, 0, 0)
}

function colours(element: HTMLElement, marks: readonly MapMark[], dark: boolean): Pick<Picture, 'marks' | 'faint' | 'ground'> {
  const style = getComputedStyle(element)
  return { marks: [...marks, markOfNone(style)], faint: faintInk(dark), ground: pixelOf(style.getPropertyValue('--surface')) }
}
