import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { explain } from '../api/errors'
import type { Commit, Dataset } from '../api/types'
import { plural } from '../format/numbers'
import { toast } from '../ui/toast-store'
import { commitRevert, whenCommitted } from './edits'

export interface Undo {
  /** Tells of a commit, with the way back where it is not `final`. */
  offer: (words: string, commit: Commit, final?: boolean) => void
  /** Takes the last commit of this page back. */
  last: () => void
}

/** What was committed on this page, each to be taken back by one more commit. */
export function useUndo(dataset: Pick<Dataset, 'name'>): Undo {
  const [versions, setVersions] = useState<readonly number[]>([])
  const client = useQueryClient()
  const undo = useMutation({
    mutationFn: async (version: number) => whenCommitted(await commitRevert(dataset.name, version), () => toast('plain', `Version ${version} is being taken back: see Jobs.`)),
    meta: { renews: [['datasets']] },
    onSuccess: (commit, version) => {
      setVersions((before) => before.filter((other) => other !== version))
      const changed = commit.updated + commit.added + commit.removed
      toast('plain', `Undone: ${plural(changed, 'sample')} as before, in version ${commit.version}.`)
    },
    // What stands in the way is in its sentence; its list names up to twenty samples, too many for one line.
    onError: async (error) => {
      toast('bad', `Not undone. ${error instanceof Error ? error.message : explain(error)}`)
      await client.invalidateQueries({ queryKey: ['datasets'] })
    },
  })
  return {
    offer: (words, { version, parent, rejected }, final = false) => {
      if (version === null || version === parent) { toast('plain', words); return; }
      const tone = rejected.length > 0 ? 'warn' : 'plain'
      if (final) { toast(tone, words); return; }
      setVersions((before) => [...before, version])
      toast(tone, words, { label: 'Undo', run: () => undo.mutate(version) })
    },
    last: () => {
      const version = versions.at(-1)
      if (undo.isPending) return
      if (version === undefined) toast('plain', 'There is nothing to undo on this page: the versions page reverts older versions.')
      else undo.mutate(version)
    },
  }
}
