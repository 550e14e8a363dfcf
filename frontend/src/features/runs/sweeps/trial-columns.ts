import type { Sweep, Trial } from '../../../shared/api/types'
import { figureWords, lowerIsBetter, metricWords } from '../../../tasktypes/metric-words'
import { columnOf, plain, settingWords, shortest, type RunColumn } from '../table/columns'

/** What was searched, and then what came of it: one value per trial. */
export function trialColumns(sweep: Sweep, trials: readonly Trial[]): RunColumn[] {
  const names = Object.keys(sweep.space)
  const titles = shortest(names)
  return [
    ...names.map((name, place) => columnOf({ id: name, title: titles[place] ?? name, values: trials.map(({ params }) => plain(params[name])), words: settingWords })),
    columnOf({
      id: 'value',
      title: metricWords(sweep.metric),
      values: trials.map(({ value }) => value),
      isResult: true,
      lowerIsBetter: lowerIsBetter(sweep.metric),
      words: (value) => (typeof value === 'number' ? figureWords(sweep.metric, value) : '–'),
    }),
  ]
}
