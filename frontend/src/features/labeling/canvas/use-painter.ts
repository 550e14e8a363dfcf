import { type RefObject, useEffect, useRef } from 'react'

import type { Editor } from './core/editor'
import type { Size } from './core/geometry'
import { paintActive } from './paint/active'
import { IdleLayer } from './paint/idle'
import type { Marks } from './paint/marks'

export interface Layers {
  image: RefObject<HTMLImageElement | null>
  idle: RefObject<HTMLCanvasElement | null>
  active: RefObject<HTMLCanvasElement | null>
}

/** From this scale on pixels are shown as they are: smoothing would invent what is not there. */
const sharpFrom = 3

/** Paints the editor's state, at most once a frame; React renders nothing of it. */
export function usePainter(host: RefObject<HTMLElement | null>, editor: Editor, marks: Marks): Layers {
  const image = useRef<HTMLImageElement>(null)
  const idle = useRef<HTMLCanvasElement>(null)
  const active = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const layer = new IdleLayer()
    let frame = 0
    const paint = () => {
      frame = 0
      const layers = { image: image.current, idle: idle.current, active: active.current }
      if (layers.idle && layers.active) paintAll(editor, marks, layer, { ...layers, idle: layers.idle, active: layers.active })
    }
    const ask = () => {
      if (frame === 0) frame = requestAnimationFrame(paint)
    }
    const stop = editor.subscribe(ask)
    const unwatch = watchRoom(host.current, (room) => {
      for (const canvas of [idle.current, active.current]) resize(canvas, room)
      editor.viewport.setRoom(room)
      paint()
    })
    paint()
    return () => {
      stop()
      unwatch()
      cancelAnimationFrame(frame)
    }
  }, [host, editor, marks])
  return { image, idle, active }
}

interface Surfaces {
  image: HTMLImageElement | null
  idle: HTMLCanvasElement
  active: HTMLCanvasElement
}

function paintAll(editor: Editor, marks: Marks, layer: IdleLayer, { image, idle, active }: Surfaces): void {
  const state = editor.snapshot()
  const { scale, x, y } = state.view
  const ratio = window.devicePixelRatio
  if (image) {
    const placed = `translate(${x}px, ${y}px) scale(${scale})`
    if (image.style.transform !== placed) image.style.transform = placed
    image.style.imageRendering = scale >= sharpFrom ? 'pixelated' : 'auto'
  }
  layer.paint(idle, state, marks, ratio)
  paintActive(active, state, marks, ratio)
}

function watchRoom(host: HTMLElement | null, tell: (room: Size) => void): () => void {
  if (!host) return () => undefined
  const look = () => tell({ width: host.clientWidth, height: host.clientHeight })
  look()
  const observer = new ResizeObserver(look)
  observer.observe(host)
  return () => observer.disconnect()
}

function resize(canvas: HTMLCanvasElement | null, { width, height }: Size): void {
  if (!canvas) return
  const ratio = window.devicePixelRatio
  if (canvas.width === Math.round(width * ratio) && canvas.height === Math.round(height * ratio)) return
  canvas.width = Math.round(width * ratio)
  canvas.height = Math.round(height * ratio)
}
