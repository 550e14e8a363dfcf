import { useEffect, useRef } from 'react'

import { useDark } from '../../../shared/ui/theme'
import { faintInk, markOf } from './marks'
import { rasteriseMark } from './raster'

const side = 15

/** A class as the map draws its points, larger; of no class, without a name. */
export function MapSwatch({ classes, name }: { classes: readonly string[]; name: string | null }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const dark = useDark()
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (!canvas.current || !context) return
    const image = context.createImageData(side, side)
    rasteriseMark(new Uint32Array(image.data.buffer), side, name === null ? { colour: faintInk(dark), form: 0, stripe: null } : markOf(classes, name))
    context.putImageData(image, 0, 0)
  }, [classes, name, dark])
  return <canvas ref={canvas} width={side} height={side} className="map-swatch" aria-hidden />
}
