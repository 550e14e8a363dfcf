import { type RefObject, useEffect, useRef, useState } from 'react'

import type { LabelSchema } from '../../../shared/api/types'
import type { GridDesk, GridState } from './grid-desk'
import { TileView } from './tile-view'
import { needsLook, type TileQueue } from './tiles'

export const gap = 8

interface TileGridProps {
  desk: GridDesk
  state: GridState
  facts: TileQueue
  schema: LabelSchema
  side: number
  /** Told how many tiles stand in a row, for moving up and down. */
  columns: RefObject<number>
}

export function TileGrid({ desk, state, facts, schema, side, columns }: TileGridProps) {
  const list = useRef<HTMLUListElement>(null)
  const [pick] = useState(() => (place: number, extend: boolean) => desk.focusOn(place, extend))
  useEffect(() => {
    const element = list.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      columns.current = Math.max(1, Math.floor((element.clientWidth + gap) / (side + gap)))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [side, columns])
  const [first, last] = desk.range()
  return (
    <ul className="tiles" ref={list} aria-label="Images of this page">
      {state.tiles.map((tile, place) => (
        <TileView
          key={String(tile.seat.task.id)}
          tile={tile}
          place={place}
          side={side}
          schema={schema}
          focused={place === state.focus}
          selected={place >= first && place <= last}
          unsure={needsLook(tile, facts)}
          onPick={pick}
        />
      ))}
    </ul>
  )
}
