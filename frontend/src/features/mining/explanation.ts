import type { Quota } from '../../shared/api/mining-types'
import type { Explanation, Term } from '../../shared/api/types'
import { percent, plural } from '../../shared/format/numbers'

/** A number in as few digits as still tell it from its neighbours. */
export function figure(value: number): string {
  return Number(value.toPrecision(4)).toString()
}

/** How a term came to its factor: `0.81` by itself, `0.81 ^ 0.5` where it was raised to its strength. */
export function factorWords({ value, strength }: Pick<Term, 'value' | 'strength'>): string {
  return strength === 1 ? figure(value) : `${figure(value)} ^ ${figure(strength)}`
}

/** The length of each bar, 0 to 1 of the largest factor: what made the product what it is. */
export function factorShares(terms: readonly Term[]): number[] {
  const largest = Math.max(...terms.map(({ contribution }) => Math.abs(contribution)))
  return terms.map(({ contribution }) => (largest > 0 ? Math.abs(contribution) / largest : 0))
}

/** What the factors multiply up to. */
export function productOf({ terms, product }: Pick<Explanation, 'terms' | 'product'>): number {
  return product ?? terms.reduce((sofar, { contribution }) => sofar * contribution, 1)
}

/** A quota in words: `at least 5 of class nut`. */
export function quotaWords(quota: Quota): string {
  const [kind, name] = quota.class !== undefined ? ['class', quota.class] : quota.slice !== undefined ? ['slice', quota.slice] : ['source', quota.source ?? '']
  const bounds = [
    ...(quota.min === undefined ? [] : [`at least ${plural(quota.min, 'sample')}`]),
    ...(quota.max === undefined ? [] : [`at most ${plural(quota.max, 'sample')}`]),
    ...(quota.min_share === undefined ? [] : [`at least ${percent(quota.min_share, 0)}`]),
    ...(quota.max_share === undefined ? [] : [`at most ${percent(quota.max_share, 0)}`]),
  ]
  return `${bounds.join(', ')} of ${kind} ${name}`
}
