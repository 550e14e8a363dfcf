import { type RouterHistory, useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The entry is that of a drawer, which was opened at this time. */
    drawer?: number
  }
}

const open = new Set<number>()
const watched = new WeakSet<RouterHistory>()

/** Back closes a drawer: while it is open, its page has one entry more in the browser's history. */
export function BackCloses({ onClose }: { onClose: () => void }) {
  const { history } = useRouter()
  const close = useEffectEvent(onClose)
  useEffect(() => {
    skipClosed(history)
    const mine = Date.now()
    open.add(mine)
    history.push(history.location.href, { ...history.location.state, drawer: mine }, { ignoreBlocker: true })
    const forget = history.subscribe(({ action, location }) => {
      if (action.type === 'BACK' && location.state.drawer !== mine) close()
    })
    return () => {
      forget()
      open.delete(mine)
      if (history.location.state.drawer === mine) history.back({ ignoreBlocker: true })
    }
  }, [history])
  return null
}

/** A link that led away from a drawer left its entry behind: going back goes past it. */
function skipClosed(history: RouterHistory): void {
  if (watched.has(history)) return
  watched.add(history)
  history.subscribe(({ action, location: { state } }) => {
    if (action.type === 'BACK' && state.drawer !== undefined && !open.has(state.drawer)) history.back({ ignoreBlocker: true })
  })
}
