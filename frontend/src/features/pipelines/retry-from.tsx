import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import type { Pipeline, Round } from '../../shared/api/types'
import { retryRound } from './queries'
import { steps, stepWords, type RoundStep } from './steps'

/** Takes a round that ended early up again, at the step where it ended or at an earlier one. */
export function RetryFrom({ pipeline, round }: { pipeline: Pipeline; round: Round }) {
  const [from, setFrom] = useState<RoundStep | ''>('')
  const retry = useMutation({
    mutationFn: () => retryRound(pipeline.id, from === '' ? null : from),
    meta: { renews: [['pipelines'], ['rounds'], ['jobs']], refused: 'The round was not changed.' },
  })
  return (
    <span className="row wrap">
      <select className="field" aria-label={`Retry round ${round.number} from`} value={from} onChange={({ target }) => setFrom(target.value as RoundStep | '')}>
        <option value="">from where it ended</option>
        {steps.map((step) => (
          <option key={step} value={step}>
            from {stepWords[step].toLowerCase()}
          </option>
        ))}
      </select>
      <button type="button" className={`button ${pipeline.state === 'failed' ? 'primary' : ''}`} disabled={retry.isPending} onClick={() => retry.mutate()}>
        Retry round {round.number}
      </button>
    </span>
  )
}
