import { useQuery } from '@tanstack/react-query'

import { datasetsQuery } from '../../shared/api/queries'
import type { MiningJobDetail } from '../../shared/api/types'
import { count, duration, percent, rate } from '../../shared/format/numbers'
import { Headline } from '../../shared/ui/headline'
import { judgingOf } from '../../tasktypes/judging'
import { metricWords } from '../../tasktypes/metric-words'

/** What the job looked at and what came of it. */
export function JobHeadline({ job }: { job: MiningJobDetail }) {
  const number = (name: string) => {
    const value = job.stats[name]
    return typeof value === 'number' ? value : null
  }
  const told = (name: string, words: (value: number) => string) => {
    const value = number(name)
    return value === null ? null : words(value)
  }
  const task = useQuery(datasetsQuery).data?.find(({ name }) => name === job.dataset)?.task ?? ''
  const { accuracy, lift } = job.estimate ?? { accuracy: null, lift: null }
  return (
    <Headline
      label="Figures"
      figures={[
        ['Pool', told('pool', count)],
        ['Scored now', told('scored', count)],
        ['Scored before', told('reused', count)],
        ['Speed', told('images_per_second', (value) => rate(value, 'images'))],
        ['Picked', told('picked', count)],
        ['Selection', told('select_seconds', duration)],
        [`${metricWords(judgingOf(task).rightShare)} on the pool`, accuracy && withInterval(percent, accuracy.value, accuracy.low, accuracy.high)],
        ['Lift over random', lift && lift.value !== null ? withInterval(times, lift.value, lift.low, lift.high) : null],
      ]}
    />
  )
}

function times(ratio: number): string {
  return `${ratio.toFixed(1)} ×`
}

/** A value and, small beside it, the interval that it lies in; the upper end may be open. */
function withInterval(words: (value: number) => string, value: number, low: number, high: number | null) {
  return (
    <>
      {words(value)}{' '}
      <span className="quiet small">
        {words(low)} to {high === null ? 'any' : words(high)}
      </span>
    </>
  )
}
