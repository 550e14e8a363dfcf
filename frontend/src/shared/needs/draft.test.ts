import { expect, test } from 'vitest'

import { anyMachine, needsDraft, needsOf } from './draft'

test('what was left empty is not asked for', () => {
  expect(needsOf(anyMachine)).toBeNull()
  expect(needsOf({ ...anyMachine, gpuMemory: '16' })).toEqual({ gpu_memory_bytes: 16e9 })
})

test.each([
  { gpus: 2, gpu_memory_bytes: 16_500_000_000, memory_bytes: 64e9, cores: 8, architecture: 'aarch64' as const },
  { gpus: 1 },
  { memory_bytes: 17_179_869_184 },
])('%j is the same when it was read and told again', (needs) => {
  expect(needsOf(needsDraft(needs))).toEqual(needs)
})
