import type { Plan, TrainingTime } from '../../shared/api/types'
import { bytes, count } from '../../shared/format/numbers'
import { Table, type Column } from '../../shared/lists/table'
import { fieldWords } from './fields'
import { figure, figureWords, printedWords, span } from './words'

/** The answer: figures, trainings, what is not known, and what all was made from. */
export function PlanTables({ plan }: { plan: Plan }) {
  return (
    <>
      {plan.figures.length > 0 && <Figures plan={plan} />}
      {plan.trainings.length > 0 && <Trainings plan={plan} />}
      {plan.missing.length > 0 && (
        <section className="panel" aria-labelledby="plan-missing">
          <div className="panel-head">
            <h2 id="plan-missing">Not known yet</h2>
          </div>
          <ul className="panel-body stack">
            {plan.missing.map(({ what, needs }) => (
              <li key={what}>
                {what}. <span className="quiet">Give {needs.map(fieldWords).join(', ')}.</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {plan.notes.length > 0 && (
        <section className="panel" aria-labelledby="plan-notes">
          <div className="panel-head">
            <h2 id="plan-notes">About the printed figures</h2>
          </div>
          <ul className="panel-body stack">
            {plan.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </section>
      )}
      {plan.inputs.length > 0 && <Inputs plan={plan} />}
    </>
  )
}

function Figures({ plan }: { plan: Plan }) {
  return (
    <section className="panel" aria-labelledby="plan-figures">
      <div className="panel-head">
        <h2 id="plan-figures">Results</h2>
      </div>
      <Table caption="Figures of the plan" columns={['Figure', { name: 'Value', number: true }, 'How']}>
        {plan.figures.map(({ name, title, value, unit, formula, printed, group }) => (
          <tr key={name}>
            <th scope="row">{title}</th>
            <td className="number">{figureWords(value, group === 'money' ? plan.currency : unit)}</td>
            <td className="planner-how">
              {formula}
              {printed && <span className="quiet"> · {printedWords(printed)}</span>}
            </td>
          </tr>
        ))}
      </Table>
    </section>
  )
}

function Trainings({ plan }: { plan: Plan }) {
  const rows = plan.trainings
  const some = (has: (row: TrainingTime) => unknown) => rows.some((row) => has(row) !== null)
  const [targets, reads, costs] = [some((row) => row.machines_for_target), some((row) => row.bytes_per_second), some((row) => row.cost)]
  const sources = new Set(rows.map(({ source }) => source.words))
  const one = sources.size === 1 ? [...sources].join('') : null
  const columns: Column[] = [
    'Network',
    'Machine',
    { name: 'Machines', number: true },
    { name: 'Pace of one', number: true },
    { name: 'Time', number: true },
    ...(targets ? [{ name: 'For the target', number: true } as const] : []),
    ...(reads ? [{ name: 'Reads', number: true } as const] : []),
    ...(costs ? [{ name: plan.currency === '' ? 'Cost' : `Cost, ${plan.currency}`, number: true } as const] : []),
    ...(one === null ? ['From'] : []),
  ]
  return (
    <section className="panel" aria-labelledby="plan-trainings">
      <div className="panel-head">
        <h2 id="plan-trainings">Training</h2>
      </div>
      <Table caption="Trainings of the plan" columns={columns}>
        {rows.map((row, at) => (
          <tr key={at}>
            <th scope="row">{row.architecture === '' ? 'not named' : row.architecture}</th>
            <td className="planner-machine">{row.machine === '' ? '–' : row.machine}</td>
            <td className="number">{count(row.machines)}</td>
            <td className="number">{figureWords(row.pace, row.pace_unit === 'TB/d' ? 'TB/day' : row.pace_unit)}</td>
            <td className="number" title={row.formula}>
              {span(row.days, row.printed)}
              {row.printed && <span className="planner-printed quiet small">{printedWords(row.printed)}</span>}
            </td>
            {targets && <td className="number">{row.machines_for_target === null ? '–' : count(row.machines_for_target)}</td>}
            {reads && <td className="number">{row.bytes_per_second === null ? '–' : `${bytes(row.bytes_per_second)}/s`}</td>}
            {costs && <td className="number">{row.cost === null ? '–' : figure(row.cost)}</td>}
            {one === null && <td className="quiet planner-how">{row.source.words}</td>}
          </tr>
        ))}
      </Table>
      {one !== null && <p className="panel-body quiet small">Paces: {one}.</p>}
    </section>
  )
}

function Inputs({ plan }: { plan: Plan }) {
  return (
    <section className="panel" aria-labelledby="plan-inputs">
      <div className="panel-head">
        <h2 id="plan-inputs">Inputs</h2>
      </div>
      <Table caption="Inputs of the plan" columns={['Input', { name: 'Value', number: true }, 'From']}>
        {plan.inputs.map(({ name, value, unit, source }) => (
          <tr key={name}>
            <th scope="row">{fieldWords(name)}</th>
            <td className="number">{`${figure(value)} ${unit}`.trim()}</td>
            <td className="quiet planner-how">{source.words}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
}
