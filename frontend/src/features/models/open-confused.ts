import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'

import { api, take } from '../../shared/api/client'
import { toast } from '../../shared/ui/toast-store'

export interface ConfusedCell {
  label: string
  predicted: string
}

/** Opens the pictures behind a cell of a version's confusion matrix in the grid of its dataset. */
export function useOpenConfused(model: string, version: number) {
  const navigate = useNavigate()
  return useMutation({
    mutationFn: ({ label, predicted }: ConfusedCell) =>
      take(api.GET('/models/{model}/versions/{version}/confused', { params: { path: { model, version: String(version) }, query: { label, predicted } } })),
    meta: { refused: 'The pictures can’t be shown.' },
    onSuccess: async ({ dataset, version: at, samples, total }) => {
      if (samples.length === 0) {
        toast('warn', 'These pictures are no longer in the dataset.')
        return
      }
      if (total > samples.length) toast('plain', `Showing the ${samples.length} of ${total} with the highest confidence.`)
      await navigate({ to: '/datasets/$id', params: { id: dataset }, search: { v: at, ids: samples.join(',') } })
    },
  })
}
