import { expect, test } from 'vitest'

import { categories, knownClasses, likelyClasses, namesOf } from './known-classes'

test('COCO, YOLO and plain lists tell their classes', async () => {
  const files = [
    { name: 'a/classes.txt', data: new File(['nut\nbolt\n'], 'classes.txt') },
    { name: 'coco.json', data: new File(['{"categories": [{"id": 1, "name": "gear"}, {"id": 2}]}'], 'coco.json') },
    { name: 'notes.txt', data: new File(['hello'], 'notes.txt') },
  ]
  expect(await knownClasses(files)).toEqual(['nut', 'bolt', 'gear'])
})

test('the names of a YOLO description are read however they are written', () => {
  expect(namesOf("nc: 2\nnames: ['a b', \"c\"]\n")).toEqual(['a b', 'c'])
  expect(namesOf('names:\n  0: nut\n  1: bolt\nnc: 2\n')).toEqual(['nut', 'bolt'])
  expect(namesOf('names:\n- nut\n- bolt\n')).toEqual(['nut', 'bolt'])
})

test('another document tells none', () => {
  expect([categories('[1]'), categories('{'), categories('null'), namesOf('x: 1')]).toEqual([[], [], [], []])
})

test('folders are classes unless the annotation files name others', () => {
  expect(likelyClasses(['cat', 'dog'], [])).toEqual({ source: 'folders', names: ['cat', 'dog'] })
  expect(likelyClasses(['cat', 'dog'], ['dog', 'bird'])).toEqual({ source: 'folders', names: ['cat', 'dog', 'bird'] })
  expect(likelyClasses(['cam_left'], ['car'])).toEqual({ source: 'annotations', names: ['car'] })
  expect(likelyClasses([], [])).toEqual({ source: 'nothing', names: [] })
})
