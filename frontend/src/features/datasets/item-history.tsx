import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import type { Lineage } from '../../shared/api/types'
import { labelClass, labelText } from '../../shared/format/labels'
import { when } from '../../shared/format/numbers'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { Swatch } from '../../shared/ui/swatch'
import { lineageQuery } from './queries'

type Revision = Lineage['revisions'][number]

interface ItemHistoryProps {
  dataset: string
  sampleKey: string
  classes: string[]
}

/** In which versions a sample was there, and as what; the newest first. */
export function ItemHistory({ dataset, sampleKey, classes }: ItemHistoryProps) {
  const lineage = useQuery(lineageQuery(dataset, sampleKey))
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      {lineage.isPending && <Skeleton height={48} />}
      {lineage.isError && !lineage.data && <Failure what="The history could not be loaded" error={lineage.error} retry={() => void lineage.refetch()} />}
      <ol className="history">
        {lineage.data?.revisions.toReversed().map((revision) => (
          <Entry key={`${revision.dataset} ${revision.since}`} dataset={dataset} revision={revision} classes={classes} />
        ))}
      </ol>
    </section>
  )
}

function Entry({ dataset, revision, classes }: { dataset: string; revision: Revision; classes: string[] }) {
  const name = labelClass(revision.label)
  return (
    <li>
      <p className="row">
        <Link to="/datasets/$id/versions" params={{ id: revision.dataset }} search={{ v: revision.since }}>
          {span(revision, dataset)}
        </Link>
        {name !== null && <Swatch classes={classes} name={name} />}
        <span className="cut">{labelText(revision.label) ?? 'no label'}</span>
        <span className="quiet">{revision.split}</span>
      </p>
      <p className="quiet small">
        {revision.message && `${revision.message} · `}
        {revision.author}, {when(revision.created)}
      </p>
    </li>
  )
}

/** `v3 to v5`, `since v6`, with the name of another dataset before it. */
function span({ dataset: place, since, until }: Revision, dataset: string): string {
  const where = place === dataset ? '' : `${place} `
  if (until === null) return `${where}since v${since}`
  return until - 1 === since ? `${where}v${since}` : `${where}v${since} to v${until - 1}`
}
