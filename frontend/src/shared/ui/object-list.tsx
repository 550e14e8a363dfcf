import { attributeText, type LabelObject } from '../format/labels'
import { count } from '../format/numbers'
import { Swatch } from './swatch'

const mostShown = 100

interface ObjectListProps {
  /** Names the list. */
  label: string
  objects: readonly LabelObject[]
  classes: readonly string[]
}

/** Each object of a label: its class, and what it carries. */
export function ObjectList({ label, objects, classes }: ObjectListProps) {
  return (
    <ul className="object-list" aria-label={label}>
      {objects.slice(0, mostShown).map((one, index) => (
        <li key={index}>
          <p className="row wrap">
            {one.kind === 'ignored' ? <span className="swatch ignored-swatch" aria-hidden /> : <Swatch classes={classes} name={one.class ?? ''} />}
            <span>{one.class ?? 'no class'}</span>
            {one.kind === 'polygon' && <span className="quiet">polygon</span>}
            {one.id !== undefined && <Mark name="id" value={one.id} />}
            {one.track !== undefined && <Mark name="track" value={one.track} />}
          </p>
          {one.attributes && (
            <p className="row wrap object-attributes">
              {Object.entries(one.attributes).map(([name, value]) => (
                <Mark key={name} name={name} value={attributeText(value)} />
              ))}
            </p>
          )}
        </li>
      ))}
      {objects.length > mostShown && <li className="quiet">and {count(objects.length - mostShown)} more</li>}
    </ul>
  )
}

function Mark({ name, value }: { name: string; value: string }) {
  return (
    <span className="small">
      <span className="quiet">{name}</span> <span className="mono">{value}</span>
    </span>
  )
}
