import { expect, test } from 'vitest'

import { needsWords } from './words'

test.each([
  [null, null],
  [{}, null],
  [{ gpus: 0, cores: 0 }, null],
  [{ gpu_memory_bytes: 16e9 }, '1 GPU of 16 GB'],
  [{ gpus: 1, memory_bytes: 64e9, cores: 1, architecture: 'aarch64' as const }, '1 GPU, 64 GB of memory, 1 core, a processor of aarch64'],
])('%j reads %j', (needs, words) => {
  expect(needsWords(needs)).toBe(words)
})
