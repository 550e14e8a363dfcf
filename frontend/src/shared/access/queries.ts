import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../api/client'
import type { AccessToken } from './types'

/** `me` is whoever is signed in; the owner may ask for anybody. */
export function tokensQuery(person: number | 'me') {
  return queryOptions({
    queryKey: ['people', String(person), 'tokens'],
    queryFn: async (): Promise<AccessToken[]> =>
      (await take(api.GET('/people/{reference}/tokens', { params: { path: { reference: String(person) } } }))).results,
  })
}
