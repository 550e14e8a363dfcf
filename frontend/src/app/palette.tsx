import { useId, useState, type KeyboardEvent } from 'react'

import type { Rights } from '../shared/access/use-may'
import { useSettled } from '../shared/live/use-settled'
import { Dialog } from '../shared/ui/dialog'
import { matching, type Destination } from './matching'
import { useDestinations } from './destinations'

const mostShown = 12
const settles = 150

/** Mod+K: every page, dataset, model, queue, pipeline, job and action by a few letters of its name. */
export default function Palette({ may, onClose }: { may: Rights; onClose: () => void }) {
  const [wanted, setWanted] = useState('')
  const [place, setPlace] = useState(0)
  const destinations = useDestinations(may, useSettled(wanted.trim(), settles))
  const listId = useId()
  const matches = matching(destinations, wanted).slice(0, mostShown)
  const at = Math.min(place, matches.length - 1)
  const take = (destination: Destination | undefined) => {
    if (!destination) return
    destination.go()
    onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') take(matches[at])
    else if (event.key === 'ArrowDown') setPlace((at + 1) % matches.length)
    else if (event.key === 'ArrowUp') setPlace((at - 1 + matches.length) % matches.length)
    else return
    event.preventDefault()
  }
  return (
    <Dialog onClose={onClose} title="Go to">
      <input
        className="field"
        style={{ width: '100%' }}
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={matches[at] ? `${listId}-${at}` : undefined}
        aria-label="Page, dataset, model, queue, pipeline, job or action"
        placeholder="Page, dataset, model, queue, pipeline, job, action"
        value={wanted}
        onChange={(event) => {
          setWanted(event.target.value)
          setPlace(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label="Destinations" className="palette">
        {matches.map((destination, index) => (
          <div
            key={`${destination.kind} ${destination.name}`}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className="palette-option"
            onClick={() => take(destination)}
            onKeyDown={onKeyDown}
          >
            <span className="grow cut">{destination.name}</span>
            <span className="quiet small">{destination.kind}</span>
          </div>
        ))}
      </div>
      {matches.length === 0 && <p className="quiet">Nothing has “{wanted}” in its name.</p>}
    </Dialog>
  )
}
