import { useQueryClient } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

import { outbox, useOutbox } from '../features/labeling/outbox-app'
import { SaveLine } from '../features/labeling/save-line'
import { decisions, useDecisions } from '../features/review/decisions-app'
import { DecisionsLine } from '../features/review/save-state'
import { allButSession, know, onAnother, standingOf } from '../shared/access/speaker'
import { sessionQuery } from '../shared/api/queries'
import { toast } from '../shared/ui/toast-store'

/**
 * Labels and decisions that still wait are worth a line on every page; silence means that all is saved. What sends them
 * hears here who is signed in, and again each time somebody has signed in anew (`returns`), in whichever tab.
 */
export default function Unsent({ user, returns }: { user: string; returns: number }) {
  const { waiting, refused, others } = useOutbox()
  const decided = useDecisions()
  const client = useQueryClient()
  // The workspaces say themselves what is not saved yet.
  const place = useRouterState({ select: ({ location }) => /\/(label|review)\/./.exec(location.pathname)?.[1] })
  useEffect(() => {
    // Asked of the cache: who has just signed in is there before this page is drawn anew.
    const person = client.getQueryData(sessionQuery.queryKey)?.user.username ?? user
    know(person)
    void outbox.speakAs(person)
    void decisions.speakAs(person)
  }, [client, user, returns])
  useEffect(() => {
    const look = () => {
      if (!document.hidden) void standingOf(user)
    }
    window.addEventListener('focus', look)
    document.addEventListener('visibilitychange', look)
    const turn = async () => {
      await client.refetchQueries({ queryKey: sessionQuery.queryKey })
      toast('plain', `${client.getQueryData(sessionQuery.queryKey)?.user.username ?? 'Somebody else'} signed in in another tab: this page is theirs now.`)
      await client.resetQueries(allButSession)
    }
    const forget = onAnother(() => void turn())
    return () => {
      window.removeEventListener('focus', look)
      document.removeEventListener('visibilitychange', look)
      forget()
    }
  }, [client, user])
  return (
    <>
      {place !== 'label' && waiting + refused.length + others.length > 0 && <SaveLine />}
      {place !== 'review' && decided.entries.length + decided.others.length > 0 && <DecisionsLine />}
    </>
  )
}
