import type { Queue } from '../api/types'

export type AutoCommit = NonNullable<Queue['auto_commit']>

/** When a pipeline commits a queue. `left`: whole seconds by now; null while nothing runs. */
export function commitSentence(commit: AutoCommit, left: number | null): string {
  if (commit.held !== null) return `${commit.held_by ?? 'Somebody'} holds the commit: nothing is written until it is released.`
  if (left === null) return commit.grace > 0 ? `The pipeline commits ${commit.grace} s after the last answer.` : 'The pipeline commits with the last answer.'
  return left > 0 ? `The pipeline commits the labels in ${left} s.` : 'The pipeline is committing the labels…'
}
