import type { Problem } from './types'

/** The server understood and said no. */
export class ApiProblem extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.detail || problem.title)
    this.name = 'ApiProblem'
    this.problem = problem
  }

  get status(): number {
    return this.problem.status
  }
}

/** No answer came: the server is down, restarting, or the network is. */
export class Unreachable extends Error {
  constructor() {
    super('The server does not answer.')
    this.name = 'Unreachable'
  }
}

export function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiProblem && error.status === status
}

/** One sentence for a person, with the fields that were refused as far as the server's sentence does not name them itself. */
export function explain(error: unknown): string {
  if (error instanceof ApiProblem) {
    const unsaid = Object.entries(error.problem.errors ?? {}).flatMap(([field, said]) => {
      const more = said.filter((text) => !error.message.includes(text))
      return more.length === 0 ? [] : [`${field}: ${more.join(' ')}`]
    })
    return [error.message, ...unsaid].join(' ')
  }
  return error instanceof Error ? error.message : 'Something failed without a reason.'
}

/** What a job (a problem) or a round (a sentence, or none) recorded as its error. */
export function explainRecorded(error: string | Record<string, unknown> | null): string | null {
  if (error === null || error === '') return null
  if (typeof error === 'string') return error
  return [error.detail, error.code].find((said) => typeof said === 'string' && said !== '') as string | undefined ?? 'It failed without a reason.'
}
