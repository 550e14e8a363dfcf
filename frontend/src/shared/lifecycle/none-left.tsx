import { useList } from '../lists/pages'
import { NoneYet } from '../project-choice/none-yet'
import { usePicked } from '../project-choice/picked'
import { archivedList, type LifecycleKind, nouns } from './calls'

/** Says why a list of these is empty: there are none yet, or all are archived. */
export function NoneLeft({ kind }: { kind: LifecycleKind }) {
  const picked = usePicked()
  const archived = useList(archivedList(kind, picked))
  const noun = `${nouns[kind]}s`
  if (archived.rows === undefined && archived.error === null) return null
  if (!archived.rows?.length) return <NoneYet of={noun} />
  return `All ${noun}${picked === null ? '' : ` in the project ${picked}`} are archived.`
}
