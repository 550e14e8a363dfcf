import type { Needs } from '../api/types'
import { amount, given } from '../format/amount'

/** What work needs of its machine while it is typed: every number is a text, empty where it does not matter. */
export interface NeedsDraft {
  gpus: string
  /** GB, of each GPU. */
  gpuMemory: string
  /** GB. */
  memory: string
  cores: string
  architecture: '' | 'x86_64' | 'aarch64'
}

export const anyMachine: NeedsDraft = { gpus: '', gpuMemory: '', memory: '', cores: '', architecture: '' }

const gigabyte = 1e9

/** As the server takes it; null where any machine will do. */
export function needsOf(draft: NeedsDraft): Needs | null {
  const needs = given({
    gpus: amount(draft.gpus),
    gpu_memory_bytes: bytesOf(draft.gpuMemory),
    memory_bytes: bytesOf(draft.memory),
    cores: amount(draft.cores),
    architecture: draft.architecture || null,
  })
  return Object.keys(needs).length === 0 ? null : needs
}

/** The same backwards. */
export function needsDraft(needs: Needs | null | undefined): NeedsDraft {
  const { gpus = 0, gpu_memory_bytes: large = 0, memory_bytes: memory = 0, cores = 0, architecture } = needs ?? {}
  const text = (value: number) => (value === 0 ? '' : String(value))
  return { gpus: text(gpus), gpuMemory: text(large / gigabyte), memory: text(memory / gigabyte), cores: text(cores), architecture: architecture ?? '' }
}

function bytesOf(gigabytes: string): number | null {
  const typed = amount(gigabytes)
  return typed === null ? null : Math.round(typed * gigabyte)
}
