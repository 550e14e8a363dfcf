import type { ComparedVersions } from '../../shared/api/types'
import { signed } from '../../shared/format/numbers'
import { Empty } from '../../shared/ui/messages'
import { ConfusionNumbers } from './confusion-numbers'
import { cellOf, cellWords, matrixNames } from './confusion'
import { HeatMap } from './heat-map'
import { OutcomesLink } from './outcomes/errors-links'

const mostNumbers = 16
const mostChanges = 8

/** What each takes for what; a cell leads to what it counts, and the largest changes are said in words. */
export function CompareConfusion({ model, found: { a, b, confusion } }: { model: string; found: ComparedVersions }) {
  return (
    <section className="panel" aria-labelledby="compare-confusion">
      <div className="panel-head">
        <h2 id="compare-confusion" className="grow">
          Confusion
        </h2>
        <span className="quiet small">Rows: true. Columns: predicted. Click a cell for its images.</span>
      </div>
      {confusion === null ? (
        <Empty>The two versions have no confusion matrix to compare.</Empty>
      ) : (
        <div className="panel-body stack wide-gap">
          <div className="compare-matrices">
            {([[a, confusion.a], [b, confusion.b]] as const).map(([side, matrix]) => (
              <div key={side.version} className="stack">
                <h3>v{side.version}</h3>
                {confusion.classes.length <= mostNumbers ? (
                  <ConfusionNumbers matrix={matrix} classes={confusion.classes} name={`Confusion matrix of v${side.version}`} model={model} version={side.version} />
                ) : (
                  <HeatMap matrix={matrix} classes={confusion.classes} model={model} version={side.version} />
                )}
              </div>
            ))}
          </div>
          <Changes confusion={confusion} model={model} version={b.version} />
        </div>
      )}
    </section>
  )
}

interface ChangesProps {
  confusion: NonNullable<ComparedVersions['confusion']>
  model: string
  version: number
}

/** The errors that grew or shrank most. */
function Changes({ confusion: { classes, delta }, model, version }: ChangesProps) {
  const names = matrixNames(delta, classes)
  const cells = delta.flatMap((row, label) => row.map((change, predicted) => ({ label: names[label] ?? '', predicted: names[predicted] ?? '', change })))
  const errors = cells.filter(({ label, predicted, change }) => label !== predicted && change !== 0).sort((one, other) => Math.abs(other.change) - Math.abs(one.change))
  if (errors.length === 0) return <p className="quiet small">Both make the same errors.</p>
  return (
    <p className="small">
      <span className="quiet">Changed most: </span>
      {errors.slice(0, mostChanges).map(({ label, predicted, change }, place) => (
        <span key={`${label} ${predicted}`}>
          {place > 0 && ', '}
          <OutcomesLink model={model} version={version} search={cellOf(label, predicted, classes)}>
            {cellWords(label, predicted, classes)}
          </OutcomesLink>{' '}
          <strong className={change > 0 ? 'delta-bad' : 'delta-good'}>{signed(change)}</strong>
        </span>
      ))}
    </p>
  )
}
