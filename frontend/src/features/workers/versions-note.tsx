import type { Workers } from '../../shared/api/types'
import { plural } from '../../shared/format/numbers'

const EARLIER = '0.2.0 or before'

/** What runs which version, where there are several: an upgrade is under way, or something was left behind. */
export function VersionsNote({ versions }: { versions: Workers['versions'] }) {
  if (versions.length < 2) return null
  return <div className="message warn" role="status">Several versions run: {versions.map(ofVersion).join(', ')}.</div>
}

function ofVersion({ version, workers, web }: Workers['versions'][number]): string {
  const processes = web > 0 ? ` and ${plural(web, 'web process', 'web processes')}` : ''
  return `${plural(workers, 'worker')}${processes} of ${version ?? EARLIER}`
}
