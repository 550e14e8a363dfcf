import { expect, test } from 'vitest'

import { factorShares, factorWords, productOf, quotaWords } from './explanation'

const term = (value: number, strength: number) => ({ name: 'margin', value, strength, contribution: value ** strength, rank: 1, of: 10 })

test('a factor says how it came about', () => {
  expect(factorWords(term(0.81, 1))).toBe('0.81')
  expect(factorWords(term(0.81, 0.5))).toBe('0.81 ^ 0.5')
})

test('factors multiply up to the product', () => {
  const terms = [term(0.81, 0.5), term(2, 1), term(0.5, 2)]
  expect(productOf({ terms, product: null })).toBeCloseTo(0.9 * 2 * 0.25)
  expect(productOf({ terms, product: 0.45 })).toBe(0.45)
  expect(factorShares(terms)).toEqual([0.45, 1, 0.125])
  expect(factorShares([term(0, 1)])).toEqual([0])
})

test('a quota is told in words', () => {
  expect(quotaWords({ class: 'nut', min: 5, max: 40 })).toBe('at least 5 samples, at most 40 samples of class nut')
  expect(quotaWords({ slice: 'night', min_share: 0.3 })).toBe('at least 30 % of slice night')
})
