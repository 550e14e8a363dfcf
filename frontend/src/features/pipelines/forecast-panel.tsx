import { useState } from 'react'

import { explain } from '../../shared/api/errors'
import type { Forecast, Pipeline } from '../../shared/api/types'
import { amount } from '../../shared/format/amount'
import { count, plural } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { Field } from '../../shared/ui/fields'
import { Skeleton } from '../../shared/ui/messages'
import { metricWords } from '../../tasktypes/metric-words'
import { useForecast } from './use-forecast'
import { useJudging } from './use-judging'

const columns = ['Fit', { name: 'Labels', number: true }, { name: 'Fit error (points)', number: true }] as const

/** How many labels a value of the curve needs, as four fits of the curve see it. */
export function ForecastPanel({ pipeline }: { pipeline: Pipeline }) {
  const judging = useJudging(pipeline)
  const aim = (judging.rightShare === judging.headline ? pipeline.stop.target?.value : null) ?? 0.95
  const [typed, setTyped] = useState(String(Number((aim * 100).toPrecision(6))))
  const percent = amount(typed)
  const target = percent !== null && percent > 0 && percent < 100 ? percent / 100 : null
  const { forecast, tooFew } = useForecast(pipeline, target)
  return (
    <section className="panel" aria-labelledby="forecast">
      <div className="panel-head">
        <h2 id="forecast">Labels needed for a target</h2>
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
  const now = forecast.points.at(-1)?.labels ?? 0
  const { labels, low, high } = forecast
  return (
    <>
      <p role="status">
        {labels === null ? (
          'No fit of the curve reaches the target.'
        ) : (
          <>
            <strong>about {plural(Math.round(labels), 'label')}</strong>
            {low !== null && high !== null && `, ${count(low)} to ${count(high)}`}
            {labels > now && now > 0 && `: ${count(labels - now)} more than now`}
          </>
        )}
      </p>
      <Table caption="Labels needed according to each fit" columns={columns}>
        {forecast.fits.map((fit) => (
          <tr key={fit.name}>
            <th scope="row">{fit.name.replaceAll('_', ' ')}</th>
            <td className="number">{fit.labels === null ? 'never' : count(fit.labels)}</td>
            <td className="number">{(fit.rmse * 100).toPrecision(2)}</td>
          </tr>
        ))}
      </Table>
    </>
  )
}
