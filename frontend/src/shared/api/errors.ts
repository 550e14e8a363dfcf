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

/**
 * What was said of a field, or of what lies in it (`budget.labels`), in the server's words, which follow the field's label
 * and may begin with a name: they keep their first letter. Null where nothing was said. `placed` are the
 * fields of the same form: what one of those that lie in this field shows itself is not said here.
 */
export function faultOf(error: unknown, field: string, placed: readonly string[] = []): string | null {
  const deeper = placed.filter((other) => other !== field && isWithin(other, field))
  const said = errorsOf(error).flatMap(([name, texts]) => {
    if (name === field) return texts.map(ended)
    if (!isWithin(name, field) || deeper.some((other) => isWithin(name, other))) return []
    return texts.map((text) => ended(`${countedFromOne(name.slice(field.length + 1))}: ${text}`))
  })
  return said.length === 0 ? null : said.join(' ')
}

/**
 * What went wrong, for a person: the server's sentence, and what it leaves out of the fields that were refused. Where some
 * of `placed`, the fields of a form, show their own faults, only the rest is said; '' where there is none.
 */
export function explain(error: unknown, placed: readonly string[] = []): string {
  if (!(error instanceof ApiProblem)) return error instanceof Error ? error.message : 'Something failed; no reason was given.'
  const shown = placed.filter((field) => faultOf(error, field) !== null)
  const detail = shown.length === 0 ? error.message : ''
  const others = errorsOf(error).flatMap(([name, texts]) => {
    if (shown.some((field) => isWithin(name, field))) return []
    const more = texts.filter((text) => !detail.includes(text))
    return more.length === 0 ? [] : [ended(`${name}: ${more.join(' ')}`)]
  })
  return others.length === 0 ? detail : [ended(detail), ...others].join(' ').trimStart()
}

function errorsOf(error: unknown): [string, string[]][] {
  return error instanceof ApiProblem ? Object.entries(error.problem.errors ?? {}) : []
}

function isWithin(name: string, field: string): boolean {
  return name === field || name.startsWith(`${field}.`)
}

function ended(words: string): string {
  return words === '' || /[.!?…]$/.test(words) ? words : `${words}.`
}

/** The server counts what stands in a list from 0, people count it from 1. */
function countedFromOne(path: string): string {
  return path.replace(/^\d+/, (place) => `Number ${Number(place) + 1}`)
}

/** What a job (a problem) or a round (a sentence, or none) recorded as its error. */
export function explainRecorded(error: string | Record<string, unknown> | null): string | null {
  if (error === null || error === '') return null
  if (typeof error === 'string') return error
  return [error.detail, error.code].find((said) => typeof said === 'string' && said !== '') as string | undefined ?? 'It failed; no reason was given.'
}
