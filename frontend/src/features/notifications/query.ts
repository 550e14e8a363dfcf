import { queryOptions } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'

const everyMilliseconds = 60_000

/** What waits for whoever is signed in; asked for again each minute while the tab is seen. */
export const notificationsQuery = queryOptions({
  queryKey: ['notifications'],
  queryFn: () => take(api.GET('/session/notifications')),
  refetchInterval: everyMilliseconds,
})

/** Mark the list as seen, or choose whether mail is sent. */
export function changeNotifications(change: { seen?: true; mail?: boolean }) {
  return take(api.PATCH('/session/notifications', { body: change }))
}
