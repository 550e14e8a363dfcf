import { useNavigate } from '@tanstack/react-router'

import { gridSearch, type Part, without } from '../../../shared/routes/grid-search'

/** Orders the grid by likeness to a sample, or to a part of it; filters stay as they are. */
export function useFindSimilar(dataset: string): (key: string, part?: Part) => void {
  const navigate = useNavigate()
  return (key, part) =>
    void navigate({
      to: '/datasets/$id',
      params: { id: dataset },
      search: (search) => ({
        ...without(gridSearch(search), 'crop'),
        similar: key,
        ...(part ? { crop: [part.x, part.y, part.width, part.height].join(',') } : {}),
      }),
    })
}
