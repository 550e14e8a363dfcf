import { useState } from 'react'

import { count, plural } from '../../../shared/format/numbers'
import { toast } from '../../../shared/ui/toast-store'
import { ActButtons } from './act-buttons'
import type { Act, Offer } from './acting'
import type { ChosenSamples } from './use-chosen'

interface SelectionBarProps {
  chosen: ChosenSamples
  offers: readonly Offer[]
  /** The newest version, where the grid shows another: that alone can be changed. */
  head: number | null
  /** The next tile that is pressed ends a range. */
  ranging: boolean
  onRanging: (on: boolean) => void
  onAct: (act: Act) => void
  onHead: () => void
}

/** How many are selected, and what can be done with them. */
export function SelectionBar({ chosen, offers, head, ranging, onRanging, onAct, onHead }: SelectionBarProps) {
  const [copying, setCopying] = useState(false)
  const copy = async () => {
    setCopying(true)
    await copyKeys(chosen)
    setCopying(false)
  }
  return (
    <div className="selection-bar" role="region" aria-label="Selection">
      <div className="row wrap">
        <span role="status">
          <strong>{chosen.reading ? 'Selecting…' : `${plural(chosen.count, 'sample')} selected`}</strong>
          {chosen.all && chosen.count === chosen.total && <span className="quiet">: all matches</span>}
        </span>
        <button type="button" className="button little" onClick={chosen.clear}>
          Clear
        </button>
        {chosen.count < chosen.total && (
          <button type="button" className="button little" onClick={chosen.selectAll}>
            Select all {count(chosen.total)}
          </button>
        )}
        <button type="button" className="button little" aria-pressed={ranging} onClick={() => onRanging(!ranging)}>
          {ranging ? 'Now press the last tile' : 'Select a range'}
        </button>
      </div>
      <div className="row wrap">
        {head === null ? (
          <ActButtons offers={offers} onAct={onAct} />
        ) : (
          offers.length > 0 && (
            <>
              <span className="quiet small">Only the newest version can be changed.</span>
              <button type="button" className="button little" onClick={onHead}>
                Go to v{head}
              </button>
            </>
          )
        )}
        <button type="button" className="button little" disabled={copying} onClick={() => void copy()}>
          Copy keys
        </button>
      </div>
    </div>
  )
}

/** Puts the keys of what is selected into the clipboard, a line each. */
export async function copyKeys(chosen: ChosenSamples): Promise<void> {
  try {
    const keys = await chosen.keys()
    await navigator.clipboard.writeText(keys.join('\n'))
    toast('plain', `${plural(keys.length, 'key')} copied`)
  } catch {
    toast('bad', 'The keys could not be copied: the browser does not let this page write to the clipboard, or the server did not answer.')
  }
}
