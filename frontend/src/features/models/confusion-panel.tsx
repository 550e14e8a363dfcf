import { plural } from '../../shared/format/numbers'
import { Empty } from '../../shared/ui/messages'
import { ConfusionNumbers } from './confusion-numbers'
import { cellOf, cellWords, confusedPairs, confusion } from './confusion'
import { HeatMap } from './heat-map'
import { type ConfusedCell } from './open-confused'
import type { JsonRecord } from './reading'

/** Up to so many classes each cell has its number; more are a picture that is pointed at. */
const mostNumbers = 16
const pairsShown = 10

interface ConfusionPanelProps {
  metrics: JsonRecord
  classes: string[]
  /** Objects are counted, and the background beside the classes. */
  objects?: boolean | undefined
  /** Shows the pictures behind a cell. */
  onOpen: (cell: ConfusedCell) => void
}

/** What is taken for what: rows are the true classes, columns what the model said. */
export function ConfusionPanel({ metrics, classes, objects = false, onOpen }: ConfusionPanelProps) {
  const matrix = confusion(metrics, classes, objects)
  const pairs = confusedPairs(metrics, classes, objects).slice(0, pairsShown)
  return (
    <section className="panel" aria-labelledby="confusion">
      <div className="panel-head">
        <h2 id="confusion" className="grow">
          Confusion
        </h2>
        <span className="quiet small">rows are true, columns predicted; a cell opens its pictures</span>
      </div>
      <div className="panel-body stack">
        {objects && <p className="quiet small">Objects. The last row counts boxes where there is nothing, the last column objects that were not found.</p>}
        {matrix && (classes.length <= mostNumbers ? <ConfusionNumbers matrix={matrix} classes={classes} name="Confusion matrix" onOpen={onOpen} /> : <HeatMap matrix={matrix} classes={classes} />)}
        {!matrix && pairs.length === 0 && <Empty>The evaluation of this version has no confusion matrix.</Empty>}
        {pairs.length > 0 && (
          <p className="quiet small">
            Most often:{' '}
            {pairs.slice(0, matrix && classes.length <= mostNumbers ? 3 : pairsShown).map(({ label, predicted, samples }, place) => (
              <span key={`${label} ${predicted}`}>
                {place > 0 && ', '}
                <button type="button" className="link" onClick={() => onOpen(cellOf(label, predicted, classes))}>
                  {cellWords(label, predicted, classes)} ({plural(samples, objects ? 'object' : 'sample')})
                </button>
              </span>
            ))}
          </p>
        )}
      </div>
    </section>
  )
}
