import type { Curve, Pipeline } from '../../shared/api/types'
import type { Series } from '../../shared/charts/series'
import { percent, plural } from '../../shared/format/numbers'

export function strategyWords(pipeline: Pipeline): string {
  const name = pipeline.strategy.name.replaceAll('_', ' ')
  const control = pipeline.control > 0 ? `, ${percent(pipeline.control, 0)} random control` : ''
  return `${name}, ${plural(pipeline.count, 'label')} a round${control}`
}

export function toSeries(pipeline: Pipeline, curve: Curve): Series {
  return {
    id: String(pipeline.id),
    name: pipeline.name,
    words: strategyWords(pipeline),
    points: [...curve.points].sort((a, b) => a.labels - b.labels),
  }
}
