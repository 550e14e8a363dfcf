import type { CSSProperties } from 'react'

import { classMark, type ClassMark } from '../format/class-colours'

export function Swatch({ classes, name }: { classes: readonly string[]; name: string }) {
  return <MarkSwatch {...classMark(classes, name)} />
}

/** The colour that a dataset's label schema gave to a class; repeats of a colour are told apart by their pattern. */
export function MarkSwatch({ colour, pattern }: ClassMark) {
  return (
    <span className={`swatch pattern-${pattern}`} style={{ '--class-colour': colour } as CSSProperties} aria-hidden />
  )
}
