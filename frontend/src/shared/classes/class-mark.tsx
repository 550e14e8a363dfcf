import './classes.css'

import type { CSSProperties } from 'react'

/** SVG dash arrays of the four patterns, in px of the screen; the first is solid. */
export const dashes = ['', '10 4', '2 4', '10 4 2 4'] as const

export const dashNames = ['solid', 'dashed', 'dotted', 'dash and dot'] as const

interface Marked {
  colour: string
  dash: number
}

/** The square that stands beside a class's name. */
export function ClassSwatch({ colour, dash }: Marked) {
  return <span className={`swatch pattern-${dash}`} style={{ '--class-colour': colour } as CSSProperties} aria-hidden />
}

/** How the outlines of a class look on an image: its colour and dash on a dark and a light half. */
export function DashPreview({ colour, dash }: Marked) {
  return (
    <svg className="dash-preview" viewBox="0 0 72 20" width="72" height="20" aria-hidden style={{ '--class-colour': colour } as CSSProperties}>
      <rect className="dark-half" width="36" height="20" />
      <rect className="light-half" x="36" width="36" height="20" />
      <line className="halo" x1="6" y1="10" x2="66" y2="10" />
      <line className="line" x1="6" y1="10" x2="66" y2="10" strokeDasharray={dashes[dash]} />
    </svg>
  )
}
