import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import type { Right } from '../access/roles'
import { useRights } from '../access/use-may'
import { datasetsList } from '../api/lists'
import type { Dataset } from '../api/types'
import { PickField, type PickFieldProps } from '../picking/pick-field'
import { usePicked } from '../project-choice/picked'

interface DatasetFieldProps extends Omit<PickFieldProps<Dataset>, 'source' | 'choices'> {
  /** What is done with the chosen one asks this of whoever chooses. */
  right?: Right
  /** Any will do, also those that no model can be trained on. */
  any?: boolean
  /** Of all projects, not of the picked one alone. */
  everywhere?: boolean
  /** What stands behind a name. */
  more?: (dataset: Dataset) => string
  /** Why one that can be trained on can't be chosen here all the same; null where it can. */
  refusal?: (dataset: Dataset) => string | null
}

/** Chooses a dataset that a model may learn from; the others stand there too, and say that they can't be chosen. */
export function DatasetField({ right = 'build', any = false, everywhere = false, more = () => '', refusal = () => null, ...rest }: DatasetFieldProps) {
  const may = useRights()
  const picked = usePicked()
  const choice = (dataset: Dataset) => {
    const foreign = may(right, dataset.project) ? null : `your role in ${dataset.project} only reads`
    const refused = foreign ?? (dataset.trainable || any ? refusal(dataset) : 'no model can be trained on it yet')
    return { value: dataset.name, words: refused === null ? `${dataset.name}${more(dataset)}` : dataset.name, refusal: refused, row: dataset }
  }
  const source = (q: string) => datasetsList(everywhere ? null : picked, { q })
  const isNone = useInfiniteQuery(source('')).data?.pages[0]?.results.length === 0
  return <PickField placeholder="choose a dataset" {...rest} {...(isNone ? { hint: <NoDataset /> } : {})} source={source} choices={(dataset) => [choice(dataset)]} />
}

function NoDataset() {
  const may = useRights()
  return may('build') ? (
    <>
      There is no dataset yet. <Link to="/datasets/new">Create a dataset</Link> first.
    </>
  ) : (
    'There is no dataset yet.'
  )
}
