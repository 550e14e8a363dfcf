import type { CSSProperties } from 'react'

import { classMark } from '../format/class-colours'

export function Swatch({ classes, name }: { classes: readonly string[]; name: string }) {
  const { colour, pattern } = classMark(classes, name)
  return (
    <span className={`swatch pattern-${pattern}`} style={{ '--class-colour': colour } as CSSProperties} aria-hidden />
  )
}
