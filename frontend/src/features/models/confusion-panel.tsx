import type { CSSProperties } from 'react'

import { plural } from '../../shared/format/numbers'
import { Empty } from '../../shared/ui/messages'
import { confusedPairs, confusion } from './evaluation'
import { shade, strength } from './heat'
import { HeatMap } from './heat-map'
import type { Open } from './reading'

/** Up to so many classes each cell has its number; more are a picture that is pointed at. */
const mostNumbers = 16
const pairsShown = 10

/** What is taken for what: rows are the true classes, columns what the model said. */
export function ConfusionPanel({ metrics, classes }: { metrics: Open; classes: string[] }) {
  const matrix = confusion(metrics, classes)
  const pairs = confusedPairs(metrics, classes).slice(0, pairsShown)
  return (
    <section className="panel" aria-labelledby="confusion">
      <div className="panel-head">
        <h2 id="confusion" className="grow">
          Confusion
        </h2>
        <span className="quiet small">rows are true, columns predicted</span>
      </div>
      <div className="panel-body stack">
        {matrix && (classes.length <= mostNumbers ? <Numbers matrix={matrix} classes={classes} /> : <HeatMap matrix={matrix} classes={classes} />)}
        {!matrix && pairs.length === 0 && <Empty>The evaluation of this version has no confusion matrix.</Empty>}
        {pairs.length > 0 && (
          <p className="quiet small">
            Most often:{' '}
            {pairs.slice(0, matrix && classes.length <= mostNumbers ? 3 : pairsShown).map(({ label, predicted, samples }, place) => (
              <span key={`${label} ${predicted}`}>
                {place > 0 && ', '}
                {label} taken for {predicted} ({plural(samples, 'sample')})
              </span>
            ))}
          </p>
        )}
      </div>
    </section>
  )
}

function Numbers({ matrix, classes }: { matrix: number[][]; classes: string[] }) {
  return (
    // A scrolled region must be reachable by keyboard to be scrolled by it.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-scroll" role="region" aria-label="Confusion matrix" tabIndex={0}>
      <table className="matrix">
        <thead>
          <tr>
            <td />
            {classes.map((name) => (
              <th key={name} scope="col" title={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.map((row, label) => (
            <tr key={classes[label]}>
              <th scope="row" title={classes[label]}>
                {classes[label]}
              </th>
              {row.map((samples, predicted) => (
                <td
                  key={classes[predicted]}
                  className={samples === 0 ? 'none' : label === predicted ? 'right' : 'wrong'}
                  style={{ '--shade': `${shade(strength(matrix, { label, predicted }))}%` } as CSSProperties}
                  title={`${classes[label]} taken for ${classes[predicted]}: ${samples}`}
                >
                  {samples}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
