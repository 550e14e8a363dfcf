
import { useDataset } from '../../shared/api/queries'
import type { MiningJobDetail } from '../../shared/api/types'
import { count, duration, percent, plural, rate } from '../../shared/format/numbers'
import { Headline } from '../../shared/ui/headline'
import { judgingOf } from '../../tasktypes/judging'
import { metricWords } from '../../tasktypes/metric-words'

type Accuracy = NonNullable<NonNullable<MiningJobDetail['estimate']>['accuracy']>

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
  const task = useDataset(job.dataset)?.task ?? ''
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
        [`${metricWords(judgingOf(task).rightShare)} on the pool`, accuracy && estimated(accuracy)],
        ['Lift over random', lift && lift.value !== null && !accuracy?.needed ? withInterval(times, lift.value, lift.low, lift.high) : null],
      ]}
    />
  )
}

/** The accuracy with the number of answers behind it; while that is small, its interval and how many more it takes. */
function estimated({ value, low, high, answers, drawn, needed }: Accuracy) {
  const from = `from ${plural(answers, 'answer')}, ${count(drawn)} random`
  if (value !== null) {
    return (
      <>
        {withInterval(percent, value, low, high)} <span className="quiet small">{from}</span>
      </>
    )
  }
  return (
    <>
      <span className="small">
        {percent(low)} to {percent(high)}
      </span>{' '}
      <span className="quiet small">
        {from}; {count(needed)} more random {needed === 1 ? 'answer gives' : 'answers give'} one figure
      </span>
    </>
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
