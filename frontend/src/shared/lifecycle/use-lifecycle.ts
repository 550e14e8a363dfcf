import { useMutation, useQueryClient } from '@tanstack/react-query'

import { toast } from '../ui/toast-store'
import { archive, type LifecycleKind, type Named, nouns, reads, restore } from './calls'

/** Reads everything of a kind anew, and what is made of it. */
export function useRefresh(kind: LifecycleKind): () => Promise<unknown> {
  const client = useQueryClient()
  return () => Promise.all([reads[kind], 'queues', 'pipelines', 'rounds'].map((noun) => client.invalidateQueries({ queryKey: [noun] })))
}

/** Puts a thing away, or takes it out of the archive. */
export function useArchive(kind: LifecycleKind, thing: Named) {
  const refresh = useRefresh(kind)
  const away = thing.archived === null
  return useMutation({
    mutationFn: () => (away ? archive(kind, thing.id) : restore(kind, thing.id)),
    meta: { refused: 'Nothing was changed.' },
    onSuccess: async () => {
      await refresh()
      toast('plain', `The ${nouns[kind]} “${thing.name}” is ${away ? 'archived' : 'restored'}.`)
    },
  })
}
