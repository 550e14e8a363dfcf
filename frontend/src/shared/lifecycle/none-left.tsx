import { useQuery } from '@tanstack/react-query'

import { NoneYet } from '../project-choice/none-yet'
import { usePicked } from '../project-choice/picked'
import { archivedQuery, type LifecycleKind, nouns } from './calls'

/** Says why a list of these is empty: there are none yet, or all are archived. */
export function NoneLeft({ kind }: { kind: LifecycleKind }) {
  const picked = usePicked()
  const archived = useQuery(archivedQuery(kind, picked))
  const noun = `${nouns[kind]}s`
  if (archived.isPending) return null
  if (!archived.data?.length) return <NoneYet of={noun} />
  return `All ${noun}${picked === null ? '' : ` in the project ${picked}`} are archived.`
}
