import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

import type { Rights } from '../shared/access/use-may'
import { Dialog } from '../shared/ui/dialog'
import { Pages } from './nav'

/** The side bar of a phone: the same groups, over the page, gone once one of them was chosen. */
export default function PageDrawer({ may, onClose }: { may: Rights; onClose: () => void }) {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const first = useRef(path)
  useEffect(() => {
    if (path !== first.current) onClose()
  }, [path, onClose])
  return (
    <Dialog title="Pages" drawer onClose={onClose}>
      <nav className="nav in-drawer" aria-label="Pages">
        <Pages may={may} words />
      </nav>
    </Dialog>
  )
}
