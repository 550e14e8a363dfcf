import { expect, test } from 'vitest'

import { conditions } from './conditions'

test('conditions are parted by commas and lines, and one in double quotes keeps its commas', () => {
  expect(conditions('speed>=30, width<640')).toEqual(['speed>=30', 'width<640'])
  expect(conditions(' speed>=30\nwidth<640,\n, ')).toEqual(['speed>=30', 'width<640'])
  expect(conditions('"city=Paris, France" , width<640')).toEqual(['city=Paris, France', 'width<640'])
  expect(conditions('"note=say ""a, b"""')).toEqual(['note=say "a, b"'])
  expect(conditions('city="A", width<640')).toEqual(['city="A"', 'width<640'])
  expect(conditions('"open, width<640')).toEqual(['"open', 'width<640'])
  expect(conditions('')).toEqual([])
})
