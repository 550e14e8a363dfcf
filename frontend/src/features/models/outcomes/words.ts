import { count, percent, plural } from '../../../shared/format/numbers'
import type { OutcomesSearch } from '../../../shared/routes/outcomes-search'
import type { Outcomes } from '../../../shared/api/types'
import type { Judging } from '../../../tasktypes'
import { backgroundOf, cellWords } from '../confusion'

/** What is listed, in words: `stop taken for yield, at 0.45 and above, in slice night`. */
export function titleOf(search: OutcomesSearch, classes: readonly string[], { errors }: Judging): string {
  const { kind, threshold, slice, score_from: low, score_to: high, right_in: other } = search
  const what =
    kind === 'cell' ? cellWords(named(search.label, classes), named(search.predicted, classes), classes) : kind === 'said' ? `said to be ${search.class ?? 'something'}` : errors[kind](search.class ?? null)
  const sure = low === undefined && high === undefined ? '' : `, ${boundWords(low, high)} sure`
  const against = other === undefined ? '' : `, told right by ${/^\d+$/.test(other) ? `v${other}` : other}`
  const at = threshold === undefined ? '' : `, at ${Number(threshold.toFixed(3))} and above`
  return what + sure + at + against + (slice === undefined ? '' : `, in slice ${slice}`)
}

/** `60 to 70 %` */
export function boundWords(low = 0, high = 1): string {
  return `${Math.round(low * 100)} to ${percent(high, 0)}`
}

/** A class as rows and columns name it. */
function named(name: string | undefined, classes: readonly string[]): string {
  return name !== undefined && (classes.includes(name) || name !== '-1') ? name : backgroundOf(classes)
}

/** How many of how many: `15 of 40 objects: recall 62.5 %`. */
export function summaryOf({ kind }: OutcomesSearch, { total, counts }: Pick<Outcomes, 'total' | 'counts'>, { objects }: Judging): string {
  if (kind === 'cell' || counts === null) return plural(total, objects ? 'object' : 'sample')
  if (kind === 'said') {
    const answers = plural(total, objects ? 'box' : 'answer', objects ? 'boxes' : 'answers')
    return total === 0 ? 'Nothing was said' : `${answers}, ${count(counts.right)} right: ${percent(counts.right / total)}`
  }
  const asked = counts.right + counts[kind]
  if (asked === 0) return kind === 'wrong' ? 'Nothing was said' : 'There is none'
  const rate = `${kind === 'wrong' ? 'precision' : 'recall'} ${percent(counts.right / asked)}`
  return `${count(total)} of ${kind === 'wrong' ? plural(asked, objects ? 'box' : 'answer', objects ? 'boxes' : 'answers') : plural(asked, objects ? 'object' : 'sample')}: ${rate}`
}

/** A name for what is made of a list, as queues may have it: `signs-v1-stop-taken-for-yield`. */
export function nameOf(model: string, version: string, title: string): string {
  const words = `${model} v${version} ${title}`.toLowerCase().match(/[a-z0-9]+(\.[a-z0-9]+)*/g) ?? []
  return words.join('-').slice(0, 100).replace(/[.-]+$/, '')
}
