import { expect, test } from 'vitest'

import { namesOf } from './yaml-names'

const texts = ['no', 'yes', '010', '1.10', '12:30']

test.each([
  'nc: 5\nnames: [no, yes, 010, 1.10, 12:30]\n',
  'names: [no, "yes", \'010\', # the third\n  1.10,\n  12:30]\nnc: 5 # of them\n',
  'names: {0: no, 1: yes, 2: 010, 3: 1.10, 4: 12:30}\n',
  "names: {'4': 12:30, '0': no, '1': yes, \"2\": 010, '3': 1.10}\n",
  'names:\n- no\n- yes\n- 010\n- 1.10\n- 12:30\n',
  'names: # classes\n\n  0: no\n  # the next\n  1: yes # really\n  2: 010\n  3: "1.10"\n  4: 12:30\nval: images\n',
])('names are the texts that are written: %j', (yaml) => expect(namesOf(yaml)).toEqual(texts))

test('quotes, commas, colons and forms of Unicode are of the name', () => {
  expect(namesOf('names: ["a, b", \'it\'\'s\', c:d, "\\u00e9"]')).toEqual(['a, b', "it's", 'c:d', 'é'])
  expect(namesOf('names:\n  - "a: b" # c\n  - Ba\u0308ume\n')).toEqual(['a: b', 'Bäume'])
  expect(namesOf('names: {0: car, 2: bus}\nnc: 3')).toEqual(['car', 'bus'])
  expect(namesOf('train: images\n')).toEqual([])
})

test.each([
  ['names: [car, bus, car]', 'classes 0 and 2 have one name, car'],
  ['names:\n  0: car\n  0: bus\n', 'names has the number 0 twice'],
  ['names: {0: car, x: bus}', 'x is not a number of a class'],
  ['nc: 3\nnames: [car, bus]', 'nc is 3, and names has 2 classes'],
  ["names: [car, '']", 'class 1 has an empty name'],
  ['names: car\n', 'names must be a list'],
  ['names: [car, bus\n', 'names is not YAML'],
])('what the server refuses is not a list of classes: %j', (yaml, words) => expect(() => namesOf(yaml)).toThrow(words))
