import { type KeyboardEvent, type PointerEvent, useRef } from 'react'

import type { Part } from '../../../shared/routes/grid-search'
import { between, nudged } from './parts'

interface PartLayerProps {
  /** Of the picture, in its own pixels. */
  width: number
  height: number
  part: Part
  onChange: (part: Part) => void
  onFind: () => void
}

/** A rectangle over a picture that is shown by `object-fit: contain` in the same place: drawn, or moved by keys. */
export function PartLayer({ width, height, part, onChange, onFind }: PartLayerProps) {
  const from = useRef<readonly [number, number] | null>(null)
  const place = (event: PointerEvent<SVGSVGElement>): readonly [number, number] => {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(event.currentTarget.getScreenCTM()?.inverse())
    return [x, y]
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const moved = nudged(part, event.key, { width, height, size: event.shiftKey })
    if (event.key === 'Enter') onFind()
    else if (moved) onChange(moved)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <svg
      className="box-layer part-layer"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="xMidYMid meet"
      role="application"
      aria-label={`Part of the image: ${part.width} × ${part.height} px at ${part.x}, ${part.y}`}
      aria-describedby="part-keys"
      tabIndex={0}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        from.current = place(event)
      }}
      onPointerMove={(event) => {
        if (from.current) onChange(between(from.current, place(event), { width, height }))
      }}
      onPointerUp={() => {
        from.current = null
      }}
      onPointerCancel={() => {
        from.current = null
      }}
    >
      <path className="part-shade" fillRule="evenodd" d={`M0 0H${width}V${height}H0Z M${part.x} ${part.y}h${part.width}v${part.height}h${-part.width}Z`} />
      <rect className="part-line" {...part} />
    </svg>
  )
}
