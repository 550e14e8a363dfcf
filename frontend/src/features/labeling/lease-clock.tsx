import { clock } from '../../shared/format/numbers'
import { useNow } from '../../shared/live/use-now'
import { Chip } from '../../shared/ui/chip'
import { leaseSeconds, type LeasedTask } from './leased-task'

const soon = 120

/** How long this image is still reserved; amber in the last two minutes. */
export function LeaseClock({ leasedTask, answered }: { leasedTask: LeasedTask; answered: boolean }) {
  const now = useNow()
  if (answered) return <span className="quiet small">Looking back</span>
  const left = leaseSeconds(leasedTask, now)
  if (left <= 0) return <Chip tone="warn">Lease expired: your answer may count as an extra opinion</Chip>
  return left < soon ? <Chip tone="warn">Lease {clock(left)}</Chip> : <span className="quiet small">Lease {clock(left)}</span>
}
