import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { cursorOf } from '../../shared/api/pages'
import { keyWithin, within } from '../../shared/api/queries'
import type { Review } from './types'

export type ReviewState = 'open' | 'done'

const pageSize = 200
/** What a page holds at most; the rest comes when these are decided. */
const most = 1_000

/** The reviews of a queue, of a project, or of all queues, the oldest first. */
export async function readReviews(state: ReviewState, { queue, project = null }: { queue?: string | undefined; project?: string | null } = {}): Promise<Review[]> {
  const found: Review[] = []
  let cursor: string | null = null
  do {
    const query = { state, limit: pageSize, ...within(project), ...(queue === undefined ? {} : { queue }), ...(cursor === null ? {} : { cursor }) }
    const page: { results: unknown[]; next: string | null } = await take(api.GET('/labeling/reviews', { params: { query } }))
    found.push(...(page.results as Review[]))
    cursor = cursorOf(page.next)
  } while (cursor !== null && found.length < most)
  return found
}

/** One review as it stands now; null where it can't be read. */
export async function readReview(id: number): Promise<Review | null> {
  try {
    return (await take(api.GET('/labeling/reviews/{id}', { params: { path: { id } } }))) as Review
  } catch {
    return null
  }
}

export function openReviewsIn(project: string | null) {
  return queryOptions({ queryKey: keyWithin(['reviews', 'open'], project), queryFn: () => readReviews('open', { project }) })
}
