import { expect, test, vi } from 'vitest'

import { newId } from './new-id'

test('ids are there without a secure context, differ, and stand in a header', () => {
  const whole = crypto
  vi.stubGlobal('crypto', { getRandomValues: (array: Uint32Array<ArrayBuffer>) => whole.getRandomValues(array) })
  const ids = Array.from({ length: 200 }, newId)
  vi.unstubAllGlobals()
  expect(new Set(ids).size).toBe(200)
  expect(ids.every((id) => /^\d+(-\d+){3}$/.test(id))).toBe(true)
})
