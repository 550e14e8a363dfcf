import { useState } from 'react'

import { KeyCap } from '../../../shared/keys/key-cap'
import type { Queue } from '../../../shared/api/types'
import { RefusableButton } from '../../../shared/ui/refusable-button'
import { reaches, type Shape } from './core/shapes'

/** The chosen score, never below the lead's. */
export function useAcceptFrom(queue: Queue): [number, (score: number) => void] {
  const [chosen, setChosen] = useState(0)
  return [Math.max(queue.accept_threshold ?? 0, chosen), setChosen]
}

interface AcceptAllProps {
  least: number
  from: number
  undecided: readonly Shape[]
  onFrom: (score: number) => void
  onAccept: () => void
}

export function AcceptAll({ least, from, undecided, onFrom, onAccept }: AcceptAllProps) {
  const sure = undecided.filter((shape) => reaches(shape, from)).length
  return (
    <div className="row wrap">
      <label className="canvas-slider small">
        Min score {from.toFixed(2)}
        <input type="range" min={least} max={1} step={0.01} value={from} onChange={(event) => onFrom(Number(event.currentTarget.value))} />
      </label>
      <RefusableButton className="button little" refusal={sure === 0 ? `No suggestion has a score of ${from.toFixed(2)} or more.` : null} onClick={onAccept}>
        Accept all {sure} ≥ {from.toFixed(2)} <KeyCap scope="canvas" action="acceptAll" />
      </RefusableButton>
    </div>
  )
}
