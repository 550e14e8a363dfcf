import { keyName } from '../../shared/classes/class-key'
import { ClassSwatch } from '../../shared/classes/class-mark'
import type { SchemaClass } from '../../shared/classes/types'

interface ClassButtonsProps {
  title: string
  classes: readonly SchemaClass[]
  /** Null where nothing is ticked: each button is an answer. */
  ticked: readonly string[] | null
  onChoose: (name: string) => void
}

/** The classes of the schema with their keys. */
export function ClassButtons({ title, classes, ticked, onChoose }: ClassButtonsProps) {
  return (
    <section className="stack" aria-label={title}>
      <h2>{title}</h2>
      <ul className="review-classes">
        {classes
          .filter(({ archived }) => !archived)
          .map(({ name, key, colour, dash }) => (
            <li key={name}>
              <button type="button" className="button plain" aria-pressed={ticked ? ticked.includes(name) : undefined} onClick={() => onChoose(name)}>
                <kbd>{keyName(key) ?? '·'}</kbd>
                <ClassSwatch colour={colour} dash={dash} />
                <span className="cut">{name}</span>
              </button>
            </li>
          ))}
      </ul>
    </section>
  )
}
