import { expect, test } from 'vitest'

import { figureWords, printedWords, span } from './words'

test.each([
  [3322.7, '9.1 years'],
  [166.13, '166 days'],
  [2.105, '2.1 days'],
  [0.868, '20.8 hours'],
  [0.01, '14.4 minutes'],
])('%d days are %s', (days, words) => {
  expect(span(days)).toBe(words)
})

test('beside a printed time it is in its unit', () => {
  expect(span(421, { value: 1.1, unit: 'years', off: 0.049 })).toBe('1.153 years')
})

test('figures have four digits that count, and small terabytes a smaller unit', () => {
  expect(figureWords(208_000, 'TB')).toBe('208,000 TB')
  expect(figureWords(0.0075, 'TB')).toBe('7.5 GB')
  expect(figureWords(16.61, 'days')).toBe('16.6 days')
  expect(figureWords(3, '')).toBe('3')
})

test('how far off a printed figure is, is told in per cent', () => {
  expect(printedWords({ value: 104, unit: 'TB', off: 0 })).toBe('104 TB printed, the same')
  expect(printedWords({ value: 1.1, unit: 'years', off: 0.0487 })).toBe('1.1 years printed, +4.9 %')
  expect(printedWords({ value: 21, unit: 'days', off: -0.0025 })).toBe('21 days printed, −0.3 %')
})
