import './classes.css'

import { keyName } from './class-key'
import { ClassSwatch } from './class-mark'
import { Prose } from './prose'
import type { ClassExample, Guidelines, SchemaClass } from './types'

interface GuidelinePanelProps {
  schema: Guidelines
  /** Classes that stand open from the start: those between which one has to decide. */
  open?: readonly string[]
}

/** What the classes mean, beside the image that is labelled. Nothing is shown where nobody has written anything. */
export function GuidelinePanel({ schema, open = [] }: GuidelinePanelProps) {
  const explained = schema.classes.filter((each) => !each.archived && (each.guideline !== '' || each.examples.length > 0))
  if (schema.guideline === '' && explained.length === 0) return null
  return (
    <section className="stack" aria-label="Guidelines">
      <h2>Guidelines</h2>
      {schema.guideline !== '' && <Prose text={schema.guideline} />}
      {explained.map((each) => (
        <ClassGuideline key={each.name} of={each} open={open.includes(each.name)} />
      ))}
    </section>
  )
}

function ClassGuideline({ of: { name, key, colour, dash, guideline, examples }, open }: { of: SchemaClass; open: boolean }) {
  return (
    <details className="guideline-class" open={open}>
      <summary>
        <ClassSwatch colour={colour} dash={dash} />
        <span className="cut">{name}</span>
        {keyName(key) !== null && <kbd>{keyName(key)}</kbd>}
      </summary>
      <div className="stack">
        {guideline !== '' && <Prose text={guideline} />}
        <Examples examples={examples} />
      </div>
    </details>
  )
}

export function Examples({ examples }: { examples: readonly ClassExample[] }) {
  if (examples.length === 0) return null
  return (
    <div className="examples">
      {examples.map(({ key, thumb, note }) => (
        <figure key={key} className="example">
          <img src={thumb} alt={note === '' ? `Example ${key}` : note} loading="lazy" />
          {note !== '' && <figcaption>{note}</figcaption>}
        </figure>
      ))}
    </div>
  )
}
