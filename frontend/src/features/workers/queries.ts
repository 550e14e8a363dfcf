import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import type { Workers } from '../../shared/api/types'
import { poll } from '../../shared/live/interval'

/** Workers tell of themselves every few seconds; asking more often would show nothing newer. */
export const workersQuery = queryOptions({
  queryKey: ['workers'],
  queryFn: (): Promise<Workers> => take(api.GET('/workers')),
  refetchInterval: poll(() => 'queued'),
})
