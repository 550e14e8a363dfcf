import { useState } from 'react'

import { explain } from '../../shared/api/errors'
import type { Forecast, Pipeline } from '../../shared/api/types'
import { amount } from '../../shared/format/amount'
import { capital, count, plural } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { Field } from '../../shared/ui/fields'
import { Skeleton } from '../../shared/ui/messages'
import { metricWords } from '../../tasktypes/metric-words'
import { useForecast } from './use-forecast'
import { judgingIn } from './judging'

const columns = ['Curve', { name: 'Labels', number: true }, { name: 'Fit error (points)', number: true }] as const

/** What a value of the curve needs: labels, rounds, hours of people and of training. */
export function ForecastPanel({ pipeline }: { pipeline: Pipeline }) {
  const judging = judgingIn(pipeline)
  const aim = (judging.rightShare === judging.headline ? pipeline.stop.target?.value : null) ?? 0.95
  const [typed, setTyped] = useState(String(Number((aim * 100).toPrecision(6))))
  const percent = amount(typed)
  const target = percent !== null && percent > 0 && percent < 100 ? percent / 100 : null
  const { forecast, tooFew } = useForecast(pipeline, target)
  return (
    <section className="panel" aria-labelledby="forecast">
      <div className="panel-head">
        <h2 id="forecast">Work needed for a target</h2>
      </div>
      <div className="panel-body stack">
        <Field label={`Target ${metricWords(judging.headline).toLowerCase()}, %`} fault={target === null ? 'Type a number between 0 and 100.' : null}>
          {(joined) => <input {...joined} className="field forecast-target" inputMode="decimal" value={typed} onChange={({ target: field }) => setTyped(field.value)} />}
        </Field>
        {forecast.isLoading && <Skeleton height={80} />}
        {tooFew && <p className="quiet">Too few rounds for a forecast yet: a curve needs rounds with three different numbers of labels.</p>}
        {forecast.isError && <p className="quiet">No forecast: {explain(forecast.error)}</p>}
        {forecast.data && <Fits forecast={forecast.data} />}
      </div>
    </section>
  )
}

function Fits({ forecast }: { forecast: Forecast }) {
  return (
    <>
      <p role="status">{forecast.labels === null ? 'More than half of the curves through these points never reach the target.' : <Work forecast={forecast} />}</p>
      <Sources forecast={forecast} />
      <details className="fold">
        <summary>Four curves alone</summary>
        <Table caption="Labels needed according to each curve" columns={columns}>
          {forecast.fits.map((fit) => (
            <tr key={fit.name}>
              <th scope="row">{fit.name.replaceAll('_', ' ')}</th>
              <td className="number">{fit.labels === null ? 'never' : count(fit.labels)}</td>
              <td className="number">{(fit.rmse * 100).toPrecision(2)}</td>
            </tr>
          ))}
        </Table>
      </details>
    </>
  )
}

/** `To reach 97 %: 2,300 more labels (1,900–3,100), 11 annotator-hours, 3 rounds, 2 h of training`. */
function Work({ forecast }: { forecast: Forecast }) {
  const { more, rounds, annotator_hours: people, training_hours: training, target } = forecast
  const reach = `To reach ${Number((target * 100).toPrecision(6))} %`
  if (more.value === 0) return `${reach}: no more labels; it is reached.`
  const range = [more.low, more.high].map((end) => (end === null ? 'never' : count(end))).join('–')
  return (
    <>
      {reach}: <strong>{plural(more.value ?? 0, 'more label', 'more labels')}</strong> ({range})
      {people.value !== null && `, ${hours(people.value)} annotator-hours`}
      {rounds.value !== null && `, ${plural(rounds.value, 'round')}`}
      {training.value !== null && `, ${hours(training.value)} h of training`}
    </>
  )
}

/** What the hours are counted with, or why they are not known. */
function Sources({ forecast }: { forecast: Forecast }) {
  const { annotator_hours: people, training_hours: training } = forecast
  if (forecast.labels === null) return null
  const told = [people.source?.words ?? 'Annotator-hours are not known: nobody has answered in this pipeline’s queues yet', training.source?.words ?? 'Training time is not known: no training of this pipeline has told its seconds']
  return <p className="quiet small">{told.map(capital).join('. ')}. The range holds four fifths of the curves that fit; it is refined after each round.</p>
}

/** Two digits that count; whole hours from ten on. */
function hours(value: number): string {
  return value >= 10 ? count(value) : String(Number(value.toPrecision(2)))
}
