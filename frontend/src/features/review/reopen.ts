import type { QueryClient } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import { explain } from '../../shared/api/errors'
import { toast } from '../../shared/ui/toast-store'
import { replaced } from './list'
import type { Review } from './types'

/** Takes a decision back on the server, and shows the review as open wherever it stands in a list. */
export async function reopen(client: QueryClient, id: number): Promise<void> {
  try {
    const review = (await take(api.POST('/labeling/reviews/{id}/reopen', { params: { path: { id } } }))) as Review
    client.setQueriesData<Review[]>({ queryKey: ['reviews', 'session'] }, (known) => known && replaced(known, review))
    toast('plain', `${review.sample.key} is open again`)
  } catch (error) {
    toast('bad', `The decision stands. ${explain(error)}`)
  }
  await client.invalidateQueries({ queryKey: ['reviews', 'open'] })
}
