import { plural } from '../../shared/format/numbers'
import { Empty } from '../../shared/ui/messages'
import { ConfusionNumbers } from './confusion-numbers'
import { cellOf, cellWords, confusedPairs, confusion } from './confusion'
import { HeatMap } from './heat-map'
import { OutcomesLink } from './outcomes/errors-links'
import type { JsonRecord } from './reading'

/** Up to so many classes each cell has its number; more are a picture that is pointed at. */
const mostNumbers = 16
const pairsShown = 10

interface ConfusionPanelProps {
  metrics: JsonRecord
  classes: string[]
  /** Objects are counted, and the background beside the classes. */
  objects?: boolean | undefined
  /** Whose it is. */
  model: string
  version: number
}

/** What is taken for what: rows are the true classes, columns what the model said. */
export function ConfusionPanel({ metrics, classes, objects = false, model, version }: ConfusionPanelProps) {
  const matrix = confusion(metrics, classes, objects)
  const pairs = confusedPairs(metrics, classes, objects).slice(0, pairsShown)
  return (
    <section className="panel" aria-labelledby="confusion">
      <div className="panel-head">
        <h2 id="confusion" className="grow">
          Confusion
        </h2>
        <span className="quiet small">Rows: true. Columns: predicted. Click a cell for its images.</span>
      </div>
      <div className="panel-body stack">
        {objects && <p className="quiet small">Objects. The last row counts boxes where there is nothing, the last column objects that were not found.</p>}
        {matrix && (classes.length <= mostNumbers ? <ConfusionNumbers matrix={matrix} classes={classes} name="Confusion matrix" model={model} version={version} /> : <HeatMap matrix={matrix} classes={classes} model={model} version={version} />)}
        {!matrix && pairs.length === 0 && <Empty>The evaluation of this version has no confusion matrix.</Empty>}
        {pairs.length > 0 && (
          <p className="quiet small">
            Most often:{' '}
            {pairs.slice(0, matrix && classes.length <= mostNumbers ? 3 : pairsShown).map(({ label, predicted, samples }, place) => (
              <span key={`${label} ${predicted}`}>
                {place > 0 && ', '}
                <OutcomesLink model={model} version={version} search={cellOf(label, predicted, classes)}>
                  {cellWords(label, predicted, classes)} ({plural(samples, objects ? 'object' : 'sample')})
                </OutcomesLink>
              </span>
            ))}
          </p>
        )}
      </div>
    </section>
  )
}
