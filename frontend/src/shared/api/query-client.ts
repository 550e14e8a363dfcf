import { MutationCache, notifyManager, QueryClient, type DefaultOptions, type QueryKey } from '@tanstack/react-query'

import { pollInterval } from '../live/interval'
import { toast } from '../ui/toast-store'
import { explain, isStatus, Unreachable } from './errors'

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: {
      /** What is read again, before `onSuccess`, once the server has taken it. */
      renews?: readonly QueryKey[]
      /** What is still so where the server refuses it: this and the reason are shown at the edge of the page. */
      refused?: string
    }
  }
}

/** A page that could not reach the server, or was told that it cannot answer yet, mends itself when it can. */
function untilAnswered({ state }: { state: { error: unknown; errorUpdateCount: number } }): number | false {
  const passing = state.error instanceof Unreachable || isStatus(state.error, 503)
  return passing && pollInterval('queued', { failures: Math.min(state.errorUpdateCount, 3) })
}

export function makeQueryClient(queries: NonNullable<DefaultOptions['queries']>): QueryClient {
  // A second click is an event of its own: before it comes, what the first began has switched its button off. A timer would be too late.
  notifyManager.setScheduler(queueMicrotask)
  const mutationCache = new MutationCache({
    onSuccess: (_data, _sent, _result, { meta }, { client }) => Promise.all((meta?.renews ?? []).map((queryKey) => client.invalidateQueries({ queryKey }))),
    onError: (error, _sent, _result, { meta }) => {
      if (meta?.refused !== undefined) toast('bad', `${meta.refused} ${explain(error)}`)
    },
  })
  return new QueryClient({ mutationCache, defaultOptions: { queries: { refetchInterval: untilAnswered, ...queries } } })
}
