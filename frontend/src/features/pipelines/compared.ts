import type { Curve, Dataset, Pipeline } from '../../shared/api/types'
import type { Series } from '../../shared/charts/series'
import { percent, plural } from '../../shared/format/numbers'

function datasetOf(pipeline: Pipeline, datasets: readonly Dataset[]): Dataset | undefined {
  return datasets.find((each) => each.name === pipeline.dataset || String(each.id) === pipeline.dataset)
}

/** What the pipeline asks of an image; '' while its dataset is not read. */
export function taskOf(pipeline: Pipeline, datasets: readonly Dataset[]): string {
  return datasetOf(pipeline, datasets)?.task ?? ''
}

/** Pipelines whose curves may be compared: those over datasets of the same task and classes. */
export function comparable(chosen: Pipeline, all: Pipeline[], datasets: Dataset[]): Pipeline[] {
  const subject = (pipeline: Pipeline) => {
    const dataset = datasetOf(pipeline, datasets)
    return dataset ? `${dataset.task}: ${[...dataset.classes].sort().join(', ')}` : pipeline.dataset
  }
  return all.filter((each) => subject(each) === subject(chosen))
}

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
