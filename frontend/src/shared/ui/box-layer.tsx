import { type CSSProperties, useId } from 'react'

import type { IgnoredRegion, PolygonShape } from '../api/types'
import { classMark } from '../format/class-colours'
import { type Box, polygonPath } from '../format/labels'

interface BoxLayerProps {
  /** Of the image whose pixels the boxes count, in px. */
  width: number
  height: number
  boxes: readonly Box[]
  polygons?: readonly PolygonShape[]
  /** Regions to ignore: hatched and dotted, in no class's colour. */
  ignored?: readonly IgnoredRegion[]
  classes: readonly string[]
  /** `before` is dashed, `after` solid, `kept` thin: no colour has to tell them apart. */
  manner: 'before' | 'after' | 'kept'
}

/** Boxes and polygons over an image that is shown by `object-fit: contain` in the same place. */
export function BoxLayer({ width, height, boxes, polygons = [], ignored = [], classes, manner }: BoxLayerProps) {
  const hatch = useId()
  const step = Math.max(width, height) / 40
  const coloured = (name: string) => ({ '--class-colour': classMark(classes, name).colour }) as CSSProperties
  return (
    <svg className={`box-layer ${manner}`} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="xMidYMid meet" aria-hidden>
      {ignored.length > 0 && (
        <pattern id={hatch} width={step} height={step} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect className="hatch-ground" width={step} height={step} />
          <rect className="hatch-line" width={step / 4} height={step} />
        </pattern>
      )}
      {ignored.map(({ box }, index) => (
        <g key={index} className="ignored">
          <rect className="halo" {...placeOf(box)} fill={`url(#${hatch})`} />
          <rect className="line" {...placeOf(box)} />
        </g>
      ))}
      {boxes.map(({ class: name, box }, index) => (
        <g key={index} style={coloured(name)}>
          <rect className="halo" {...placeOf(box)} />
          <rect className="line" {...placeOf(box)} />
        </g>
      ))}
      {polygons.map((polygon, index) => (
        <g key={index} style={coloured(polygon.class)}>
          <path className="halo" d={polygonPath(polygon)} />
          <path className="line" d={polygonPath(polygon)} />
        </g>
      ))}
    </svg>
  )
}

function placeOf([x1, y1, x2, y2]: Box['box']) {
  return { x: x1, y: y1, width: Math.max(0, x2 - x1), height: Math.max(0, y2 - y1) }
}
