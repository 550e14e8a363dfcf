/** The search parts of the addresses of reviews and of the team's figures; what makes no sense is left out. */

export const reviewReasons = ['disagreement', 'flag', 'gold', 'random'] as const

export type ReviewReason = (typeof reviewReasons)[number]

export interface ReviewListSearch {
  reason?: ReviewReason
}

export interface ReviewSearch extends ReviewListSearch {
  state?: 'open' | 'done'
  /** The id of the review that is shown. */
  at?: number
}

export function reviewListSearch(search: Record<string, unknown>): ReviewListSearch {
  const reason = reviewReasons.find((each) => each === search.reason)
  return reason === undefined ? {} : { reason }
}

export function reviewSearch(search: Record<string, unknown>): ReviewSearch {
  return { ...reviewListSearch(search), ...(search.state === 'done' ? { state: 'done' } : {}), ...whole('at', search.at) }
}

export interface TeamSearch {
  /** The id of the queue that is looked at; without it, all of them. */
  queue?: number
  days?: number
}

export function teamSearch(search: Record<string, unknown>): TeamSearch {
  return { ...whole('queue', search.queue), ...whole('days', search.days) }
}

function whole<Name extends string>(name: Name, value: unknown): Partial<Record<Name, number>> {
  return (/^[1-9]\d*$/.test(String(value)) ? { [name]: Number(value) } : {}) as Partial<Record<Name, number>>
}
