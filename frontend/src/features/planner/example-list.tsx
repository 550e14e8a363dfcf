import type { PlanExample } from '../../shared/api/types'

interface ExampleListProps {
  examples: readonly PlanExample[]
  choose: (example: string) => void
}

/** What a plan answers, and examples to begin with: each is calculated at one press. */
export function ExampleList({ examples, choose }: ExampleListProps) {
  return (
    <>
      <section className="panel" aria-labelledby="plan-answers">
        <div className="panel-head">
          <h2 id="plan-answers">What a plan answers</h2>
        </div>
        <ul className="panel-body planner-answers">
          <li>How much data is recorded, kept and stored, and what that costs.</li>
          <li>How long training takes, and how many machines reach your target.</li>
          <li>How many scoring workers and annotators keep up.</li>
          <li>Whether the line carries the data in time.</li>
        </ul>
      </section>
      <section className="panel" aria-labelledby="plan-examples">
        <div className="panel-head">
          <h2 id="plan-examples">Start from an example</h2>
        </div>
        <ul className="planner-examples">
          {examples.map(({ name, title, source, question }) => (
            <li key={name}>
              <div className="grow">
                <strong>{title}</strong>
                <p className="quiet small">
                  {fleetWords(question)}From {source}.
                </p>
              </div>
              <button type="button" className="button" onClick={() => choose(name)}>
                Calculate <span className="visually-hidden">{title}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

/** `100 vehicles, 260 days. `; '' for an example without a fleet. */
function fleetWords({ fleet }: PlanExample['question']): string {
  const parts = [fleet?.vehicles && `${fleet.vehicles.toLocaleString('en')} vehicles`, fleet?.days && `${fleet.days.toLocaleString('en')} days`].filter((part) => typeof part === 'string')
  return parts.length === 0 ? '' : `${parts.join(', ')}. `
}
