import { useQueries } from '@tanstack/react-query'

import type { SamplePrediction } from '../../../shared/api/types'
import type { Selection } from '../queries'
import { predictionsQuery, type Predictor } from './queries'

/** What the model says of the samples of each window, by id. */
export function usePredictions({ dataset, version }: Selection, predictor: Predictor | null, windows: readonly (readonly number[])[]): (id: number) => SamplePrediction | undefined {
  const found = useQueries({ queries: predictor ? windows.map((ids) => predictionsQuery(dataset, version, predictor, ids)) : [] })
  return (id) => {
    for (const { data } of found) {
      const said = data?.get(id)
      if (said) return said
    }
    return undefined
  }
}
