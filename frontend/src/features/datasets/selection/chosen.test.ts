import { expect, test } from 'vitest'

import { type Chosen, countOf, everything, filterOf, isChosen, mostByHand, nothing, toggled, withSamples } from './chosen'
import { ranked } from '../../../shared/edits/ranked'
import { tagsOf, typedTags } from './tags'

const sample = (id: number) => ({ id, key: `${id}.png` })

test('samples are selected one by one and as ranges, and let go again', () => {
  const two = toggled(toggled(nothing, sample(1)), sample(2))
  expect([countOf(two, 9), isChosen(two, 2), isChosen(two, 3)]).toEqual([2, true, false])
  const more = withSamples(toggled(two, sample(1)), [sample(2), sample(3)]) as Chosen
  expect(filterOf(more, 'split = train')).toEqual({ samples: [2, 3] })
})

test('all that match are selected but those let go, whatever their number', () => {
  const but = toggled(toggled(everything, sample(4)), sample(7))
  expect([countOf(but, 1_000_000), isChosen(but, 4), isChosen(but, 5)]).toEqual([999_998, false, true])
  expect(filterOf(but, 'split = train or split = val')).toBe('(split = train or split = val) and not samples in (4, 7)')
  expect(filterOf(but, '')).toBe('not samples in (4, 7)')
  expect(filterOf(withSamples(but, [sample(4), sample(7)]) as Chosen, '')).toBe('labelled or not labelled')
  expect(filterOf(everything, 'tag = odd')).toBe('tag = odd')
})

test('no more are selected by hand than a filter takes', () => {
  const most = Array.from({ length: mostByHand }, (_, place) => sample(place + 1))
  const full = withSamples(nothing, most) as Chosen
  expect(countOf(full, mostByHand)).toBe(mostByHand)
  expect(withSamples(full, [sample(mostByHand + 1)])).toBeNull()
  expect(withSamples(full, [sample(5)])).not.toBeNull()
})

test('a class is found by its whole name, then by its first letters, then by any', () => {
  const classes = ['seventy', 'scene', 'seven', 'Zen'].map((name) => ({ name }))
  expect(ranked(classes, 'seven').map(({ name }) => name)).toEqual(['seven', 'seventy'])
  expect(ranked(classes, 'EN').map(({ name }) => name)).toEqual(['seventy', 'scene', 'seven', 'Zen'])
  expect(ranked(classes, 'zen')[0]?.name).toBe('Zen')
  expect(ranked(classes, 'x')).toEqual([])
})

test('tags are texts with commas between, each once', () => {
  expect(typedTags(' night, blurry ,,night ')).toEqual(['night', 'blurry'])
  expect(tagsOf({ tags: ['a', 3] })).toEqual(['a'])
  expect(tagsOf({})).toEqual([])
})
