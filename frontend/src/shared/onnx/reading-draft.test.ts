import { expect, test } from 'vitest'

import { asTheFileSays, readingFaults, readingOf } from './reading-draft'

test('only what is typed is sent', () => {
  expect(readingOf(asTheFileSays)).toEqual({})
  const typed = { inputSize: '3, 224 224', layout: 'nhwc', scale: '1', mean: '0.485,0.456,0.406', std: '' } as const
  expect(readingOf(typed)).toEqual({ input_size: [3, 224, 224], layout: 'nhwc', scale: '1', mean: [0.485, 0.456, 0.406] })
})

test('what is no list of numbers is refused by its field', () => {
  const wrong = (part: object) => Object.entries(readingFaults({ ...asTheFileSays, ...part })).flatMap(([name, fault]) => (fault === null ? [] : [name]))
  expect(wrong({})).toEqual([])
  expect(wrong({ inputSize: '224' })).toEqual(['metadata.input_size'])
  expect(wrong({ inputSize: '3, 2.5, 4' })).toEqual(['metadata.input_size'])
  expect(wrong({ inputSize: '3, 224, 224', mean: 'a', std: '1, NaN' })).toEqual(['metadata.mean', 'metadata.std'])
})
