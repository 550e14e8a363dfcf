import type { KeyboardEvent } from 'react'

import type { Histogram } from '../../shared/api/types'
import { count, plural } from '../../shared/format/numbers'
import { keptBy, movedCut, snapped } from './cut'
import { figure } from './explanation'

interface CutSliderProps {
  histogram: Histogram
  cut: number | null
  onCut: (score: number | null) => void
}

/** The cut as a line over the bars that is dragged, or moved by keys from pick to pick. */
export function CutSlider({ histogram: { edges, picked, cut: lowest }, cut, onCut }: CutSliderProps) {
  const [first, last] = [edges[0] ?? 0, edges.at(-1) ?? 1]
  const onKeyDown = (event: KeyboardEvent) => {
    const moved = movedCut(picked, cut, event.key)
    if (moved === undefined) return
    event.preventDefault()
    onCut(moved)
  }
  return (
    <input
      type="range"
      className="cut-slider"
      aria-label="Cut"
      aria-valuetext={`${figure(cut ?? lowest ?? first)}: ${plural(keptBy(picked, cut), 'pick')}`}
      min={first}
      max={last}
      step="any"
      value={cut ?? lowest ?? first}
      onChange={({ target }) => onCut(snapped(picked, Number(target.value)))}
      onKeyDown={onKeyDown}
    />
  )
}

interface CutWordsProps {
  picked: readonly number[]
  cut: number | null
  /** How many random samples come with the picks, whatever the cut. */
  control: number
  onCut: (score: number | null) => void
}

/** How many picks the cut leaves. */
export function CutWords({ picked, cut, control, onCut }: CutWordsProps) {
  const kept = keptBy(picked, cut)
  return (
    <p className="row wrap" role="status">
      <span>
        <strong>
          {count(kept)} of {plural(picked.length, 'pick')}
        </strong>{' '}
        {cut === null ? 'go to the queue' : 'lie at the cut or above'}
        {control > 0 && `, and ${plural(control, 'random sample')} of the control arm`}.
      </span>
      {cut === null ? (
        <span className="quiet small">Drag the line, or move it with the arrow keys, to queue fewer.</span>
      ) : (
        <button type="button" className="button little" onClick={() => onCut(null)}>
          Take all
        </button>
      )}
    </p>
  )
}
