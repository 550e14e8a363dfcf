import type { Architecture } from './types'

/** Those that learn a task; all of them before there is one. */
export function architecturesFor(task: string | undefined, all: readonly Architecture[]): Architecture[] {
  return all.filter(({ tasks }) => task === undefined || tasks.includes(task))
}
