import { expect, test } from 'vitest'

import { waitingWords } from './jobs'

const ahead = [
  { id: 3, title: 'Train cats' },
  { id: null, title: 'work of another project' },
]

test('a waiting job says its place, what is before it, and when it starts', () => {
  expect(waitingWords({ waiting: { place: 3, ahead, starts_in: 240, note: null } })).toBe('3rd in line, after “work of another project”. Starts in about 4 min 00 s.')
  expect(waitingWords({ waiting: { place: 12, ahead, starts_in: 0.2, note: null } })).toBe('12th in line, after “work of another project”. Starts now.')
  expect(waitingWords({ waiting: { place: 1, ahead: [], starts_in: null, note: 'no worker listens to queue compute: start one' } })).toBe(
    'Next in line. When it starts is unknown: no worker listens to queue compute: start one.',
  )
  expect(waitingWords({ waiting: null })).toBe('')
})
