import { expect, test } from 'vitest'

import { kindWords, placeWords } from './kinds'

test('kinds and pages are said in words, new ones by their names', () => {
  expect([kindWords('mine'), kindWords('sweep_all')]).toEqual(['mining', 'sweep all'])
  expect([placeWords('/runs/3'), placeWords('/datasets/signs/map?m=2'), placeWords('/mining/7')]).toEqual(['run 3', 'dataset signs map', 'mining 7'])
})
