import { Lock, Tag } from 'lucide-react'

import type { Version, VersionName } from '../../../shared/api/types'

interface NamesProps {
  version: Version
  /** What is known of the dataset's names; one that is not among them is shown all the same. */
  known: VersionName[]
}

/** Tags and aliases of a version; an alias is coloured, a protected one has a lock. */
export function Names({ version, known }: NamesProps) {
  return version.names.map((name) => {
    const named = known.find((each) => each.name === name)
    const alias = named?.kind === 'alias'
    return (
      <span key={name} className={`chip bare name-chip ${alias ? 'live' : ''}`}>
        {!alias && <Tag size={11} aria-hidden />}
        {named?.protected && <Lock size={11} aria-hidden />}
        <span className="visually-hidden">{named?.protected ? 'protected alias' : alias ? 'alias' : 'tag'}</span>
        {name}
      </span>
    )
  })
}
