import { useQuery, type UseQueryResult } from '@tanstack/react-query'

import { isStatus } from '../../../shared/api/errors'
import { datasetQuery, modelQuery, sliceQuery } from '../../../shared/api/queries'
import { type MiningDraft, noModel } from './draft'
import type { There } from './not-there'

/** Reads what the form names, wherever in a long list it stands. */
export function useThere({ dataset, model, slice }: MiningDraft): There {
  return {
    dataset: found(useQuery({ ...datasetQuery(dataset), enabled: dataset !== '' })),
    model: found(useQuery({ ...modelQuery(model), enabled: !['', noModel].includes(model) })),
    slice: found(useQuery({ ...sliceQuery(dataset, slice), enabled: dataset !== '' && slice !== '' })),
  }
}

function found<Thing>({ data, error }: UseQueryResult<Thing>): Thing | null | undefined {
  return isStatus(error, 404) ? null : data
}
