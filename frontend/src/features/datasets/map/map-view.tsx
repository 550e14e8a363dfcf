import { useMemo, useState } from 'react'

import type { EmbeddingMap } from '../../../shared/api/types'
import { count } from '../../../shared/format/numbers'
import { Legend } from './legend'
import { MapCanvas, type MapTool } from './map-canvas'
import { type ColourBy, groupAt, groupsOf, namesOf, type Points } from './points'
import { SelectionPanel } from './selection-panel'

interface MapViewProps {
  id: string
  map: EmbeddingMap
  points: Points
  /** Of the dataset now, for the colours that they have everywhere. */
  classes: string[]
}

const tools: [MapTool, string][] = [
  ['pan', 'Move'],
  ['lasso', 'Lasso'],
  ['box', 'Box'],
]
const colourings: [ColourBy, string][] = [
  ['label', 'class'],
  ['split', 'split'],
  ['predicted', 'what the model says'],
]

/** A map with its legend, and the pictures of what is selected on it. */
export function MapView({ id, map, points, classes }: MapViewProps) {
  const [by, setBy] = useState<ColourBy>('label')
  const [tool, setTool] = useState<MapTool>('lasso')
  const [selected, setSelected] = useState<Uint8Array | null>(null)
  const names = namesOf(points, by)
  const groups = useMemo(() => groupsOf(points, by), [points, by])
  const groupOfPoint = useMemo(() => Uint16Array.from({ length: points.count }, (_, index) => groupAt(points, by, index, namesOf(points, by).length)), [points, by])
  const ids = useMemo(() => idsOf(points, selected), [points, selected])
  const take = (found: Uint8Array, how: 'only' | 'add' | 'remove') => setSelected((before) => combined(before, found, how))
  return (
    <div className="map-body">
      <div className="map-column">
        <div className="row wrap map-tools">
          <fieldset className="row segmented">
            <legend className="visually-hidden">Tool</legend>
            {tools.map(([name, words]) => (
              <label key={name} className={`button little ${tool === name ? 'pressed' : ''}`}>
                <input type="radio" className="visually-hidden" name="tool" checked={tool === name} onChange={() => setTool(name)} />
                {words}
              </label>
            ))}
          </fieldset>
          <label className="row small">
            <span className="quiet">Colour by</span>
            <select className="field little" value={by} onChange={({ target }) => setBy(target.value as ColourBy)}>
              {colourings
                .filter(([name]) => name !== 'predicted' || points.predicted !== null)
                .map(([name, words]) => (
                  <option key={name} value={name}>
                    {words}
                  </option>
                ))}
            </select>
          </label>
          <span className="grow" />
          <span className="quiet small map-hint">Shift adds to the selection, Alt removes; scroll to zoom</span>
        </div>
        <MapCanvas map={map} points={points} groups={groupOfPoint} names={names} classes={by === 'split' ? names : classes} tool={tool} selected={selected} onSelect={take} />
        <p className="visually-hidden" role="status">
          {count(ids.length)} selected
        </p>
      </div>
      <div className="map-side">
        <Legend
          groups={groups}
          named={names.length}
          classes={by === 'split' ? names : classes}
          chosen={(place) => wholeGroup(groupOfPoint, selected, place)}
          onToggle={(place, on) => take(Uint8Array.from(groupOfPoint, (group) => (group === place ? 1 : 0)), on ? 'remove' : 'add')}
        />
        <SelectionPanel key={ids.length === 0 ? 'none' : `${ids[0]} ${ids.length}`} id={id} map={map} ids={ids} onClear={() => setSelected(null)} />
      </div>
    </div>
  )
}

function idsOf(points: Points, selected: Uint8Array | null): number[] {
  if (!selected) return []
  const found: number[] = []
  for (let index = 0; index < selected.length; index += 1) if (selected[index] === 1) found.push(points.sample[index] ?? 0)
  return found
}

function combined(before: Uint8Array | null, found: Uint8Array, how: 'only' | 'add' | 'remove'): Uint8Array | null {
  const next = found.map((one, index) => {
    const had = before?.[index] ?? 0
    return how === 'only' ? one : how === 'add' ? had | one : had & (1 - one)
  })
  return next.includes(1) ? next : null
}

/** Whether all points of a group are selected. */
function wholeGroup(groups: Uint16Array, selected: Uint8Array | null, place: number): boolean {
  return selected !== null && groups.every((group, index) => group !== place || selected[index] === 1)
}
