import type { ClassExample, LabelClass, LabelSchema } from '../../shared/api/types'
import { MarkSwatch } from '../../shared/ui/swatch'

/** What annotators are told: of the whole dataset, then class by class with example pictures. */
export function Guidelines({ schema }: { schema: LabelSchema }) {
  const told = schema.classes.filter(({ guideline, examples, archived }) => !archived && (guideline !== '' || examples.length > 0))
  return (
    <section className="why" aria-labelledby="guidelines">
      <h2 id="guidelines">Guidelines</h2>
      {schema.guideline !== '' && <p className="guideline">{schema.guideline}</p>}
      {schema.guideline === '' && told.length === 0 && <p className="quiet">Nobody has written any for this dataset yet.</p>}
      {told.map((each) => (
        <ClassGuideline key={each.name} label={each} />
      ))}
    </section>
  )
}

function ClassGuideline({ label }: { label: LabelClass }) {
  const examples = label.examples as ClassExample[]
  return (
    <details className="fold">
      <summary>
        <MarkSwatch colour={label.colour} pattern={label.dash} /> {label.name}
      </summary>
      <p className="guideline">{label.guideline}</p>
      {examples.length > 0 && (
        <ul className="neighbours">
          {examples.map((example) => (
            <li key={example.key}>
              <img src={example.thumb} width={48} height={48} alt={example.note || example.key} title={example.note} className="pixels" />
              <span className="cut">{example.note}</span>
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}
