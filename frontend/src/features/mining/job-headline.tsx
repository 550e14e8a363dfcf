import type { MiningJob } from '../../shared/api/types'
import { count, duration, rate } from '../../shared/format/numbers'
import { Headline } from '../../shared/ui/headline'

/** What the job looked at and what came of it. */
export function JobHeadline({ job }: { job: MiningJob }) {
  const number = (name: string) => {
    const value = job.stats[name]
    return typeof value === 'number' ? value : null
  }
  const told = (name: string, words: (value: number) => string) => {
    const value = number(name)
    return value === null ? null : words(value)
  }
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
      ]}
    />
  )
}
