import type { Needs } from '../api/types'
import { bytes, plural } from '../format/numbers'

/** What work needs of its machine: `1 GPU of 16 GB, 4 cores`; null where nothing. */
export function needsWords(needs: Needs | null | undefined): string | null {
  if (!needs) return null
  const { gpus = 0, gpu_memory_bytes: large = 0, memory_bytes: memory = 0, cores = 0, architecture } = needs
  const parts: string[] = []
  if (gpus > 0 || large > 0) parts.push(plural(Math.max(1, gpus), 'GPU') + (large > 0 ? ` of ${bytes(large)}` : ''))
  if (memory > 0) parts.push(`${bytes(memory)} of memory`)
  if (cores > 0) parts.push(plural(cores, 'core'))
  if (architecture) parts.push(`a processor of ${architecture}`)
  return parts.join(', ') || null
}
