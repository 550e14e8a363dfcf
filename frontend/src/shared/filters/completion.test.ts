import { expect, test } from 'vitest'

import type { FilterVocabulary } from '../api/types'
import { completionOf } from './completion'

const vocabulary: FilterVocabulary = {
  fields: [
    { name: 'split', kind: 'choice', words: '', operators: ['=', '!=', 'in', 'not in'], values: ['train', 'test'] },
    { name: 'class', kind: 'choice', words: '', operators: ['=', 'in'], values: ['car', 'traffic light'] },
    { name: 'labelled', kind: 'flag', words: '', operators: ['='], values: [] },
    { name: 'meta.time', kind: 'value', words: '', operators: ['=', 'exists'], values: ['night'] },
  ],
  objects: [{ name: 'boxes', words: '' }],
  object_fields: [{ name: 'attributes.occluded', kind: 'value', words: '', operators: ['='], values: [] }],
}
const offered = (text: string) => completionOf(text, vocabulary).options.map((option) => option.text)

test('fields come first, then operators, values and what joins', () => {
  expect(offered('')).toEqual(['split', 'class', 'labelled', 'meta.time', 'boxes', 'not'])
  expect(offered('spl')).toEqual(['split'])
  expect(offered('split ')).toEqual(['=', '!=', 'in', 'not in'])
  expect(offered('split = t')).toEqual(['train', 'test'])
  expect(offered('split = train ')).toEqual(['and', 'or'])
  expect(['split = train ', 'split = train a', 'split = train and ', ''].map((text) => completionOf(text, vocabulary).isWhole)).toEqual([true, false, false, false])
  expect(offered('split = train and lab')).toEqual(['labelled'])
})

test('values with spaces are quoted, in lists too', () => {
  expect(offered('class = tra')).toEqual(['"traffic light"'])
  expect(offered('class in (car, ')).toEqual(['car', '"traffic light"'])
  expect(offered('class = "traf')).toEqual(['"traffic light"'])
})

test('inside boxes the fields are those of a box', () => {
  expect(offered('boxes(')).toEqual(['attributes.occluded', 'not'])
  expect(offered('(split = train or boxes(attributes.occluded = true) and ')).toContain('meta.time')
})

test('it begins where the word does', () => {
  expect(completionOf('split = train and cl', vocabulary).from).toBe(18)
})

test('a quotation mark that closes a value begins nothing', () => {
  const text = 'class = "traffic light"'
  expect(completionOf(text, vocabulary)).toMatchObject({ from: text.length, isWhole: true })
  expect(completionOf('class = "traf', vocabulary).from).toBe('class = '.length)
})
