import { useState } from 'react'

import { percent } from '../../shared/format/numbers'
import { classMark } from '../../shared/format/class-colours'
import { ErrorsLinks } from './outcomes/errors-links'
import { type RecallCurve, recallCurves } from './recall-curves'
import { RecallChart, dashesOf } from './recall-chart'
import type { JsonRecord } from './reading'

interface RecallPanelProps {
  metrics: JsonRecord
  classes: string[]
  /** Whose curves they are. */
  model: string
  version: number
}

/** What each class's boxes are worth as more of its objects are found: precision by recall, and the score that gives both. */
export function RecallPanel({ metrics, classes, model, version }: RecallPanelProps) {
  const curves = recallCurves(metrics, classes)
  const steps = (curves[0]?.precision.length ?? 1) - 1
  const [at, setAt] = useState(Math.round(steps / 2))
  if (curves.length === 0) return null
  return (
    <section className="panel" aria-labelledby="recall">
      <div className="panel-head">
        <h2 id="recall" className="grow">
          Precision by recall
        </h2>
        <span className="quiet small">at an IoU of 0.5</span>
      </div>
      <div className="panel-body stack wide-gap">
        <div className="stack">
          <RecallChart curves={curves} classes={classes} at={at} onPoint={setAt} />
          <label className="recall-slider small">
            Recall {percent(at / steps, 0)}
            <input type="range" min={0} max={steps} value={at} onChange={({ target }) => setAt(Number(target.value))} />
          </label>
        </div>
        <Readings curves={curves} classes={classes} at={at} recall={at / steps} model={model} version={version} />
      </div>
    </section>
  )
}

interface ReadingsProps {
  curves: RecallCurve[]
  classes: string[]
  at: number
  recall: number
  model: string
  version: number
}

/** Each class where the line stands; it tells the lines apart as well. */
function Readings({ curves, classes, at, recall, model, version }: ReadingsProps) {
  return (
    // A scrolled region must be reachable by keyboard to be scrolled by it.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="tall" role="region" aria-label="Precision by class" tabIndex={0}>
      <table className="table tight">
        <caption className="visually-hidden">At a recall of {percent(recall, 0)}</caption>
        <thead>
          <tr>
            <th scope="col">Class</th>
            <th scope="col" className="number">
              Precision
            </th>
            <th scope="col" className="number">
              Score
            </th>
            <th scope="col">Errors there</th>
          </tr>
        </thead>
        <tbody>
          {curves.map(({ name, precision, score }) => {
            const reached = (score[at] ?? 0) > 0
            return (
              <tr key={name}>
                <th scope="row">
                  <span className="row">
                    <Line classes={classes} name={name} />
                    {name}
                  </span>
                </th>
                <td className="number">{reached ? percent(precision[at] ?? 0) : '–'}</td>
                <td className="number">{reached ? (score[at] ?? 0).toFixed(2) : <span className="quiet">not reached</span>}</td>
                <td>{reached && <ErrorsLinks model={model} version={version} about={{ class: name, threshold: score[at] ?? 0 }} name={name} />}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function Line({ classes, name }: { classes: readonly string[]; name: string }) {
  return (
    <svg width="28" height="8" aria-hidden>
      <line x1="0" x2="28" y1="4" y2="4" stroke={classMark(classes, name).colour} strokeWidth="2.5" strokeDasharray={dashesOf(classes, name)} />
    </svg>
  )
}
