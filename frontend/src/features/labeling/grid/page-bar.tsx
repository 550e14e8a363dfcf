import { KeyCap } from '../../../shared/keys/key-cap'
import { percent, plural } from '../../../shared/format/numbers'
import { RefusableButton } from '../../../shared/ui/refusable-button'
import { clusterWords } from './cluster-list'
import type { PageCounts } from './tiles'

interface PageBarProps {
  cluster: string | null
  counts: PageCounts
  threshold: number | null
  onAccept: () => void
}

/** What accepting the page will say, and the button that does it. */
export function PageBar({ cluster, counts, threshold, onAccept }: PageBarProps) {
  const { taken, sure, skipped, out, staying } = counts
  const parts = [
    taken > 0 && `${taken} as suggested`,
    sure > 0 && `${sure} set by you`,
    skipped > 0 && plural(skipped, 'skip'),
    out > 0 && `${out} left out for later`,
  ].filter((part) => part !== false)
  return (
    <div className="page-bar">
      <h2 className="cut">{clusterWords(cluster)}</h2>
      <span className="quiet" role="status">
        {parts.join(' · ') || 'nothing to accept yet'}
        {staying > 0 && ` · ${staying} ${stays(threshold, cluster)}`}
      </span>
      <span className="grow" />
      <RefusableButton className="button primary" refusal={taken + sure + skipped + out === 0 ? 'There is nothing to accept on this page yet: give an image a class first.' : null} onClick={onAccept}>
        Accept the page <KeyCap scope="grid" action="acceptPage" />
      </RefusableButton>
    </div>
  )
}

function stays(threshold: number | null, cluster: string | null): string {
  if (cluster === null || cluster === '' || threshold === null) return 'still without a label'
  return `less sure than ${percent(threshold, 0)}: look at each and confirm it`
}
