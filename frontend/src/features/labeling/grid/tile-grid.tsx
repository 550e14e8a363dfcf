import { type RefObject, useEffect, useRef, useState } from 'react'

import type { QueueSchema } from '../../../shared/api/types'
import type { GridSession, GridState } from './grid-session'
import { TileView } from './tile-view'
import { needsLook, type TileQueue } from './tiles'

export const gap = 8

interface TileGridProps {
  session: GridSession
  state: GridState
  facts: TileQueue
  schema: QueueSchema
  side: number
  /** Told how many tiles stand in a row, for moving up and down. */
  columns: RefObject<number>
}

export function TileGrid({ session, state, facts, schema, side, columns }: TileGridProps) {
  const list = useRef<HTMLUListElement>(null)
  const [pick] = useState(() => (place: number, extend: boolean) => session.focusOn(place, extend))
  useEffect(() => {
    const element = list.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      columns.current = Math.max(1, Math.floor((element.clientWidth + gap) / (side + gap)))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [side, columns])
  const [first, last] = session.range()
  return (
    <ul className="tiles" ref={list} aria-label="Images of this page">
      {state.tiles.map((tile, place) => (
        <TileView
          key={String(tile.leasedTask.task.id)}
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
