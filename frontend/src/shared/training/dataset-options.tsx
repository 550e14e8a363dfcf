import type { Dataset } from '../api/types'

interface DatasetOptionsProps {
  /** Undefined while they are read. */
  datasets: readonly Dataset[] | undefined
  /** What stands behind a name. */
  more?: (dataset: Dataset) => string
}

/** The datasets a model may learn from; the others stand there too, and say that they can't be chosen. */
export function DatasetOptions({ datasets, more = () => '' }: DatasetOptionsProps) {
  return datasets?.map((dataset) => (
    <option key={dataset.name} value={dataset.name} disabled={!dataset.trainable}>
      {dataset.name}
      {dataset.trainable ? more(dataset) : ' (no model can be trained on it yet)'}
    </option>
  ))
}
