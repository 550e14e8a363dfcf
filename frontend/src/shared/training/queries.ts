import { keepPreviousData, queryOptions } from '@tanstack/react-query'

import { api, take } from '../api/client'
import type { ForecastRequest } from '../api/types'

/** The architecture that suits a dataset's images, and why. */
export function recommendationQuery(dataset: string) {
  return queryOptions({
    queryKey: ['datasets', dataset, 'recommended-architecture'],
    queryFn: () => take(api.GET('/datasets/{reference}/recommended-architecture', { params: { path: { reference: dataset } } })),
    retry: false,
  })
}

/** How long a training takes here, and the settings that it has. */
export function forecastQuery(body: ForecastRequest) {
  return queryOptions({
    queryKey: ['forecasts', body],
    queryFn: () => take(api.POST('/runs/forecast', { body })),
    enabled: body.dataset !== '',
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
}
