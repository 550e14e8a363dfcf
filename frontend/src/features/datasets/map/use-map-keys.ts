import type { RefObject } from 'react'

import type { ActionOf } from '../../../shared/keys/keymap'
import type { DigitsMean } from '../../../shared/keys/present'
import { useActions } from '../../../shared/keys/use-keys'
import { type MapPoint, type MapView, panned } from './view'

type MapAction = ActionOf<'map'>

const arrows: Partial<Record<MapAction, MapPoint>> = { left: [60, 0], right: [-60, 0], up: [0, 60], down: [0, -60] }
const noDigits: DigitsMean = []

/** Keys that act wherever the focus is. */
export function useMapPageKeys(acts: Partial<Record<MapAction, () => void>>): void {
  useActions('map', { act: (action) => acted(acts[action]), choose: () => false, digits: noDigits })
}

interface CanvasKeys {
  move: (change: (view: MapView) => MapView) => void
  zoom: (closer: boolean) => void
  showAll: () => void
  select: () => void
  open: () => void
}

/** Keys that act while the map has the focus: elsewhere arrows scroll the page. */
export function useMapKeys(canvas: RefObject<HTMLCanvasElement | null>, { move, zoom, showAll, select, open }: CanvasKeys): void {
  const acts: Partial<Record<MapAction, () => void>> = { zoomIn: () => zoom(true), zoomOut: () => zoom(false), showAll, select, open }
  useActions('map', {
    act: (action) => {
      if (document.activeElement !== canvas.current) return false
      const arrow = arrows[action]
      return acted(arrow ? () => move((view) => panned(view, ...arrow)) : acts[action])
    },
    choose: () => false,
    digits: noDigits,
  })
}

function acted(act: (() => void) | undefined): boolean {
  act?.()
  return act !== undefined
}
