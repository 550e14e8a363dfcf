import { Link } from '@tanstack/react-router'
import { GitFork, GitMerge } from 'lucide-react'
import { useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import type { Dataset } from '../../../shared/api/types'
import { MergeDialog } from './merge-dialog'

type Direction = 'in' | 'back'

/** Where a fork comes from, and how the two stay in touch. */
export function ForkFacts({ dataset }: { dataset: Dataset }) {
  const [merging, setMerging] = useState<Direction | null>(null)
  const mayBuild = useMay('build', dataset.project)
  if (dataset.origin === null) return null
  const { dataset: origin, version } = dataset.origin
  return (
    <section className="panel fork-facts" aria-label="Fork">
      <GitFork size={16} aria-hidden />
      <span className="grow">
        Fork of{' '}
        <Link to="/datasets/$id/versions" params={{ id: origin }} search={{ v: version }}>
          {origin} v{version}
        </Link>
      </span>
      <Link to="/datasets/$id/diff" params={{ id: dataset.name }} search={{ from_dataset: origin }} className="button little">
        Compare with {origin}
      </Link>
      {mayBuild && (
        <>
          <button type="button" className="button little" onClick={() => setMerging('in')}>
            <GitMerge size={12} aria-hidden />
            Merge its changes…
          </button>
          <button type="button" className="button little" onClick={() => setMerging('back')}>
            <GitMerge size={12} aria-hidden />
            Merge into {origin}…
          </button>
        </>
      )}
      {merging === 'in' && <MergeDialog into={dataset.name} from={origin} onClose={() => setMerging(null)} />}
      {merging === 'back' && <MergeDialog into={origin} from={dataset.name} onClose={() => setMerging(null)} />}
    </section>
  )
}
