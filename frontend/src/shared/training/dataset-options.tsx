import type { Right } from '../access/roles'
import { useRights } from '../access/use-may'
import type { Dataset } from '../api/types'

interface DatasetOptionsProps {
  /** What is done with the chosen one asks this of whoever chooses. */
  right?: Right
  /** Undefined while they are read. */
  datasets: readonly Dataset[] | undefined
  /** What stands behind a name. */
  more?: (dataset: Dataset) => string
  /** Why one that can be trained on can't be chosen here all the same; null where it can. */
  refusal?: (dataset: Dataset) => string | null
}

/** The datasets a model may learn from; the others stand there too, and say that they can't be chosen. */
export function DatasetOptions({ right = 'build', datasets, more = () => '', refusal = () => null }: DatasetOptionsProps) {
  const may = useRights()
  return datasets?.map((dataset) => {
    const foreign = may(right, dataset.project) ? null : `your role in ${dataset.project} only reads`
    const refused = foreign ?? (dataset.trainable ? refusal(dataset) : 'no model can be trained on it yet')
    return (
      <option key={dataset.name} value={dataset.name} disabled={refused !== null}>
        {dataset.name}
        {refused === null ? more(dataset) : ` (${refused})`}
      </option>
    )
  })
}
