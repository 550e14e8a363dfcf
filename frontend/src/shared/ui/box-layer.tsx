import type { CSSProperties } from 'react'

import { classMark } from '../format/class-colours'
import type { Box } from '../format/labels'

interface BoxLayerProps {
  /** Of the image whose pixels the boxes count, in px. */
  width: number
  height: number
  boxes: readonly Box[]
  classes: readonly string[]
  /** `before` is dashed, `after` solid, `kept` thin: no colour has to tell them apart. */
  manner: 'before' | 'after' | 'kept'
}

/** Boxes over an image that is shown by `object-fit: contain` in the same place. */
export function BoxLayer({ width, height, boxes, classes, manner }: BoxLayerProps) {
  return (
    <svg className={`box-layer ${manner}`} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="xMidYMid meet" aria-hidden>
      {boxes.map(({ class: name, box: [x1, y1, x2, y2] }, index) => {
        const place = { x: x1, y: y1, width: Math.max(0, x2 - x1), height: Math.max(0, y2 - y1) }
        return (
          <g key={index} style={{ '--class-colour': classMark(classes, name).colour } as CSSProperties}>
            <rect className="halo" {...place} />
            <rect className="line" {...place} />
          </g>
        )
      })}
    </svg>
  )
}
