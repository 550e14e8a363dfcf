import { useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'

import type { EmbeddingMap } from '../../../shared/api/types'
import { count } from '../../../shared/format/numbers'
import { Legend } from './legend'
import { MapCanvas } from './map-canvas'
import type { Drawn } from './picture'
import { type ColourBy, countsOf, groupsOf, namesOf, placesOf, type Points } from './points'
import { SelectionPanel } from './selection-panel'
import { indexed } from './spatial-index'
import { useMapPageKeys } from './use-map-keys'
import type { How, MapTool } from './use-map-pointer'

interface MapViewProps {
  id: string
  map: EmbeddingMap
  points: Points
  /** Of the dataset now, for the colours that they have everywhere. */
  classes: string[]
  /** A sample may be of several classes at once. */
  several: boolean
}

const tools: [MapTool, string][] = [
  ['pan', 'Move'],
  ['lasso', 'Lasso'],
  ['box', 'Box'],
]
const drawings: [Drawn, string][] = [
  ['auto', 'automatic'],
  ['points', 'points'],
  ['density', 'density'],
]
const colourings: [ColourBy, string][] = [
  ['label', 'class'],
  ['split', 'split'],
  ['predicted', 'what the model says'],
]

/** A map with its legend, and the pictures of what is selected on it. */
export function MapView({ id, map, points, classes, several }: MapViewProps) {
  const [by, setBy] = useState<ColourBy>('label')
  // A finger that moves the map first of all can still draw a lasso; the other way round a page can't be left.
  const [tool, setTool] = useState<MapTool>(() => (window.matchMedia('(pointer: coarse)').matches ? 'pan' : 'lasso'))
  const [drawn, setDrawn] = useState<Drawn>('auto')
  const [selected, setSelected] = useState<Uint8Array | null>(null)
  const navigate = useNavigate()
  const index = useMemo(() => indexed(points.xy), [points])
  const names = namesOf(points, by)
  const groups = useMemo(() => groupsOf(points, by, several), [points, by, several])
  const places = useMemo(() => placesOf(points, by), [points, by])
  const ids = useMemo(() => idsOf(points, selected), [points, selected])
  const chosen = useMemo(() => countsOf(places, groups.length, selected ?? new Uint8Array(points.count)), [places, groups, selected, points])
  const take = (found: Uint8Array, how: How) => setSelected((before) => combined(before, found, how))
  const open = (point: number) => void navigate({ to: '/datasets/$id', params: { id }, search: { v: map.version, ids: String(points.sample[point]) } })
  useMapPageKeys({
    pan: () => setTool('pan'),
    lasso: () => setTool('lasso'),
    box: () => setTool('box'),
    drawn: () => setDrawn(afterwards(drawn)),
    clear: () => setSelected(null),
  })
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
          <label className="row small">
            <span className="quiet">Show</span>
            <select className="field little" value={drawn} onChange={({ target }) => setDrawn(target.value as Drawn)}>
              {drawings.map(([name, words]) => (
                <option key={name} value={name}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <span className="grow" />
          <span className="quiet small map-hint">Shift adds to the selection, Alt removes; scroll to zoom</span>
        </div>
        <MapCanvas
          map={map}
          points={points}
          index={index}
          groups={places}
          names={names}
          classes={by === 'split' ? names : classes}
          tool={tool}
          drawn={drawn}
          selected={selected}
          onSelect={take}
          onOpen={open}
        />
        <p className="visually-hidden" role="status">
          {count(ids.length)} selected
        </p>
      </div>
      <div className="map-side">
        <Legend
          groups={groups}
          named={names.length}
          classes={by === 'split' ? names : classes}
          chosen={(place) => chosen[place] === groups[place]?.count}
          onToggle={(place, on) => take(ofGroup(places, place), on ? 'remove' : 'add')}
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

function combined(before: Uint8Array | null, found: Uint8Array, how: How): Uint8Array | null {
  const next = new Uint8Array(found.length)
  for (let index = 0; index < found.length; index += 1) {
    const [had, one] = [before?.[index] ?? 0, found[index] ?? 0]
    next[index] = how === 'only' ? one : how === 'add' ? had | one : had & (1 - one)
  }
  return next.includes(1) ? next : null
}

function ofGroup(places: Uint16Array, place: number): Uint8Array {
  const found = new Uint8Array(places.length)
  for (let index = 0; index < places.length; index += 1) if (places[index] === place) found[index] = 1
  return found
}

function afterwards(drawn: Drawn): Drawn {
  const place = drawings.findIndex(([name]) => name === drawn)
  return drawings[(place + 1) % drawings.length]?.[0] ?? 'auto'
}
