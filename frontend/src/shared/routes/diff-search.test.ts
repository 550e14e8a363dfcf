import { expect, test } from 'vitest'

import { diffSearch } from './diff-search'

test('versions come by number or name, and what makes no sense is left out', () => {
  expect(diffSearch({ from: '3', to: 'golden', kind: 'relabelled' })).toEqual({ from: '3', to: 'golden', kind: 'relabelled' })
  expect(diffSearch({ from: '', to: 7, kind: 'eaten' })).toEqual({})
})
