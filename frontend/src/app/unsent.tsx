import { useQueryClient } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

import { outbox, useOutbox } from '../features/labeling/outbox-app'
import { SaveLine } from '../features/labeling/save-line'
import { sessionQuery } from '../shared/api/queries'

/**
 * Labels that still wait are worth a line on every page; silence means that all is saved. The outbox hears here who is
 * signed in, and again each time somebody has signed in anew (`returns`).
 */
export default function Unsent({ user, returns }: { user: string; returns: number }) {
  const { waiting, refused, others } = useOutbox()
  const client = useQueryClient()
  // The workspace says itself what is not saved yet.
  const atQueue = useRouterState({ select: ({ location }) => /\/label\/./.test(location.pathname) })
  useEffect(() => {
    // Asked of the cache: who has just signed in is there before this page is drawn anew.
    void outbox.speakAs(client.getQueryData(sessionQuery.queryKey)?.user.username ?? user)
  }, [client, user, returns])
  return atQueue || waiting + refused.length + others.length === 0 ? null : <SaveLine />
}
