import { useQuery } from '@tanstack/react-query'

import type { CalibrationBin } from '../../shared/api/types'
import { count, percent } from '../../shared/format/numbers'
import { Table } from '../../shared/lists/table'
import { OutcomesLink } from './outcomes/errors-links'
import { boundWords } from './outcomes/words'
import { calibrationQuery } from './queries'

interface CalibrationPanelProps {
  model: string
  version: number
}

/** How much of what the version says is right, by how sure it is; each row leads to its samples. */
export function CalibrationPanel({ model, version }: CalibrationPanelProps) {
  const bins = (useQuery(calibrationQuery(model, String(version))).data?.bins ?? []).filter(({ said }) => said > 0)
  if (bins.length === 0) return null
  return (
    <section className="panel" aria-labelledby="calibration">
      <div className="panel-head">
        <h2 id="calibration" className="grow">
          Right by confidence
        </h2>
        <span className="quiet small">the model’s own confidence, on its test samples</span>
      </div>
      <Table caption="How much is right, by confidence" columns={['Confidence', { name: 'Predictions', number: true }, { name: 'Accuracy', number: true }, { name: 'Mean confidence', number: true }, { name: 'Overconfidence', number: true }]} className="tight">
        {bins.map((bin) => (
          <tr key={bin.low}>
            <th scope="row">
              <OutcomesLink model={model} version={version} search={{ kind: 'said', score_from: bin.low, score_to: bin.high }}>
                {boundWords(bin.low, bin.high)}
              </OutcomesLink>
            </th>
            <td className="number">{count(bin.said)}</td>
            <td className="number">{percent(bin.right / bin.said)}</td>
            <td className="number">{percent(bin.confidence ?? 0)}</td>
            <td className="number">{gapWords(bin)}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

/** In points; less sure than right is below 0. */
function gapWords({ confidence, right, said }: CalibrationBin): string {
  const points = 100 * ((confidence ?? 0) - right / said)
  return `${points < 0 ? '−' : ''}${Math.abs(points).toFixed(1)} points`
}
