import { queryOptions, useQuery } from '@tanstack/react-query'

import { api, take } from '../../../shared/api/client'
import type { Encoder } from '../../../shared/api/types'

function encodersQuery(project: string) {
  return queryOptions({
    queryKey: ['encoders', 'of', project],
    queryFn: async () => (await take(api.GET('/encoders', { params: { query: { project } } }))).results,
    staleTime: 60_000,
  })
}

const none: Encoder[] = []

/** The encoders of a project, the newest first; none while they are not wanted or not read yet. */
export function useEncoders(project: string, wanted = true): Encoder[] {
  return useQuery({ ...encodersQuery(project), enabled: wanted }).data ?? none
}
