import { api, take } from '../api/client'
import { listOptions } from '../lists/pages'
import type { AccessToken } from './types'

/** `me` is whoever is signed in; the owner may ask for anybody. */
export function tokensList(person: number | 'me') {
  return listOptions<AccessToken>({
    queryKey: ['people', String(person), 'tokens'],
    read: (at) => take(api.GET('/people/{reference}/tokens', { params: { path: { reference: String(person) }, query: at } })),
  })
}
