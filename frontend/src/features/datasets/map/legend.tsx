import { count } from '../../../shared/format/numbers'
import { RefusableButton } from '../../../shared/ui/refusable-button'
import { MapSwatch } from './map-swatch'
import type { Group } from './points'

interface LegendProps {
  groups: readonly Group[]
  /** How many of them have a name; what has none comes after them. */
  named: number
  classes: readonly string[]
  /** Whether all of a group is selected. */
  chosen: (place: number) => boolean
  onToggle: (place: number, on: boolean) => void
}

/** What the marks mean; pressing one selects its points, which the keyboard can do too. */
export function Legend({ groups, named, classes, chosen, onToggle }: LegendProps) {
  return (
    <section className="map-legend" aria-label="Legend">
      <h2>Select a group</h2>
      {/* A scrolled region must be reachable by keyboard; its buttons are. */}
      <ul>
        {groups.map(({ name, count: points }, place) => {
          const on = points > 0 && chosen(place)
          return (
            <li key={name}>
              <RefusableButton className="facet" aria-pressed={on} refusal={points === 0 ? `No point of this map is ${name}.` : null} onClick={() => onToggle(place, on)}>
                <MapSwatch classes={classes} name={place < named ? name : null} />
                <span className="grow cut">{name}</span>
                <span className="facet-count">{count(points)}</span>
              </RefusableButton>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
