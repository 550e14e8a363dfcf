import type { GateResult } from '../../shared/api/types'
import { Chip } from '../../shared/ui/chip'

/** What each gate said, those that failed first. */
export function GateList({ gates }: { gates: GateResult[] }) {
  const failedFirst = [...gates].sort((a, b) => Number(a.passed) - Number(b.passed))
  return (
    <ul className="gates" aria-label="Gates">
      {failedFirst.map((gate) => (
        <li key={gate.gate} className="gate">
          <Chip tone={gate.passed ? 'ok' : 'bad'}>{gate.passed ? 'passed' : 'failed'}</Chip>
          <div className="grow">
            <strong>{gate.gate}</strong>
            <p className="quiet small">{gate.detail}</p>
          </div>
        </li>
      ))}
    </ul>
  )
}
