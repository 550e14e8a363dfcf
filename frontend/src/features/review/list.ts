import type { Review } from './types'

/** News of known reviews in their places, new ones behind them: nothing moves under the hand of somebody who works. */
export function merged(known: readonly Review[], news: readonly Review[]): Review[] {
  const byId = new Map(news.map((review) => [review.id, review]))
  const ids = new Set(known.map(({ id }) => id))
  return [...known.map((review) => byId.get(review.id) ?? review), ...news.filter(({ id }) => !ids.has(id))]
}

export function replaced(known: readonly Review[], review: Review): Review[] {
  return known.map((each) => (each.id === review.id ? review : each))
}

/** The first review behind `after` that nobody has decided, from the beginning again at the end. */
export function nextOpen(reviews: readonly Review[], isDecided: (review: Review) => boolean, after?: number): Review | undefined {
  const place = reviews.findIndex(({ id }) => id === after)
  return [...reviews.slice(place + 1), ...reviews.slice(0, place + 1)].find((review) => !isDecided(review))
}
