import './bell.css'

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Bell as BellIcon } from 'lucide-react'

import { notificationsQuery } from './query'

const mostShown = 99

/** Leads to what waits for whoever is signed in, and says how much of it is new. */
export default function Bell() {
  const unseen = useQuery(notificationsQuery).data?.unseen ?? 0
  const words = unseen === 0 ? 'Notifications' : `Notifications, ${unseen} new`
  return (
    <Link to="/notifications" className="button plain icon bell" aria-label={words} title={words}>
      <BellIcon size={16} aria-hidden />
      {unseen > 0 && (
        <span className="bell-count" aria-hidden>
          {unseen > mostShown ? `${mostShown}+` : unseen}
        </span>
      )}
    </Link>
  )
}
