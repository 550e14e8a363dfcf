import { useBlocker } from '@tanstack/react-router'

import { plural } from '../format/numbers'
import { Dialog } from './dialog'

/**
 * Asks before a page is left while changes on it are not saved; before the tab closes, the browser asks in its own words. Who
 * leaves the page after saving navigates with `ignoreBlocker`, for the saved draft still stands on it then.
 */
export function LeaveGuard({ unsaved }: { unsaved: number }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => unsaved > 0 && current.pathname !== next.pathname,
    enableBeforeUnload: () => unsaved > 0,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog onClose={blocker.reset} title="Leave without saving?">
      <div className="stack wide-gap">
        <p>{plural(unsaved, 'unsaved change')} on this page would be lost.</p>
        <div className="row">
          <button type="button" className="button primary" onClick={blocker.reset}>
            Stay
          </button>
          <button type="button" className="button" onClick={blocker.proceed}>
            Leave
          </button>
        </div>
      </div>
    </Dialog>
  )
}
