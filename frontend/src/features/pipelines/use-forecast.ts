import { useQuery } from '@tanstack/react-query'

import type { Pipeline } from '../../shared/api/types'
import { curveQuery, forecastQuery } from './queries'

/** Fewer different numbers of labels are no curve. */
const fewestPoints = 3

/** How many labels a value (0..1) of the curve needs; it is not asked for while the curve has too few points. */
export function useForecast(pipeline: Pipeline, target: number | null) {
  const curve = useQuery(curveQuery(pipeline)).data
  const points = new Set(curve?.points.map(({ labels }) => labels)).size
  const forecast = useQuery({ ...forecastQuery(pipeline, target), enabled: target !== null && points >= fewestPoints })
  return { forecast, tooFew: curve !== undefined && points < fewestPoints }
}
