import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, Outlet, useRouterState } from '@tanstack/react-router'
import { CircleHelp, LogOut, Menu, Search } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'

import { may } from '../shared/access/roles'
import { useRights } from '../shared/access/use-may'
import { isStatus } from '../shared/api/errors'
import { sessionQuery } from '../shared/api/queries'
import { onSignedOut } from '../shared/api/signed-out'
import type { Session } from '../shared/api/types'
import { KeyCap } from '../shared/keys/key-cap'
import { adoptPreferences } from '../shared/preferences/preferences'
import { useProjects } from '../shared/project-choice/picked'
import { loadDialogs } from '../shared/ui/dialog'
import { later } from '../shared/ui/later'
import { Failure } from '../shared/ui/messages'
import { Toasts } from '../shared/ui/toasts'
import { useMedia } from '../shared/ui/use-media'
import { GlobalKeys } from './global-keys'
import { manualAt } from './manual'
import { rightAt } from './pages'
import { ThemeSwitch } from './theme-switch'

// It begins to load before the session is known: every page has it.
const navigation = import('./nav')
const Nav = later(async () => (await navigation).Nav, <div className="nav" />)
const PageDrawer = later(async () => (await import('./page-drawer')).default)
const NotYours = later(async () => (await import('./not-yours')).NotYours)
const Bell = later(async () => (await import('../features/notifications/bell')).default, <span className="button plain icon" />)
const ProjectPicker = later(async () => (await import('./project-picker')).default, <span className="picker project-picker" />)
const Unsent = later(async () => (await import('./unsent')).default)
const LoginDialog = later(async () => (await import('../features/session/login-dialog')).default)

export function Shell() {
  const session = useQuery(sessionQuery)
  const preferences = session.data?.preferences
  useEffect(() => {
    if (preferences) adoptPreferences(preferences)
  }, [preferences])
  if (session.isPending) return <p className="visually-hidden">Motherlode is loading.</p>
  if (!session.data) {
    if (isStatus(session.error, 401)) return <ToLogin />
    return (
      <main className="page">
        <Failure
          what="Motherlode could not be reached"
          error={session.error}
          safe="Labels that are not saved yet are kept on this computer."
          retry={() => void session.refetch()}
        />
      </main>
    )
  }
  return <Frame user={session.data.user} />
}

function ToLogin() {
  const address = useRouterState({ select: (state) => state.location.href })
  // Where the visitor wanted to go, not where this redirect goes: the address changes while it is under way.
  const [next] = useState(address)
  return <Navigate to="/login" search={{ next }} replace />
}

function Frame({ user }: { user: Session['user'] }) {
  const mayNow = useRights()
  const path = useRouterState({ select: (state) => state.location.pathname })
  const right = rightAt(path)
  const isPhone = useMedia('(width < 640px)')
  const [pages, setPages] = useState(false)
  const closePages = useCallback(() => setPages(false), [])
  const [palette, setPalette] = useState(false)
  const [signedOut, setSignedOut] = useState(false)
  const [returns, setReturns] = useState(0)
  useEffect(() => onSignedOut(() => setSignedOut(true)), [])
  useEffect(() => whenIdle(() => void loadDialogs()), [])

  return (
    <div className="shell">
      <a className="skip-link button" href="#content">
        Skip to the content
      </a>
      <header className="topbar">
        {isPhone && (
          <button type="button" className="button plain icon" aria-label="Pages" aria-haspopup="dialog" onClick={() => setPages(true)}>
            <Menu size={18} aria-hidden />
          </button>
        )}
        <Link to="/" className="brand" aria-label="Motherlode">
          <img src={`${import.meta.env.BASE_URL}favicon.svg`} width={22} height={22} alt="" />
          <span>Motherlode</span>
        </Link>
        {useProjects().several && <ProjectPicker />}
        <span className="grow" />
        <Unsent user={user.username} returns={returns} />
        <button type="button" className="button" onClick={() => setPalette(true)}>
          <Search size={14} aria-hidden />
          <span className="wide-only">
            Go to <KeyCap scope="global" action="palette" />
          </span>
          <span className="visually-hidden narrow-only">Go to</span>
        </button>
        <a className="button plain icon" href={manualAt(path)} target="_blank" rel="noreferrer" aria-label="Help for this page" title="Help for this page">
          <CircleHelp size={16} aria-hidden />
        </a>
        <Bell />
        <ThemeSwitch />
        <SignOut username={user.username} />
      </header>
      {!isPhone && <Nav may={mayNow} />}
      <main id="content" className="content" tabIndex={-1}>
        {mayNow(right) ? <Outlet /> : <NotYours right={right} elsewhere={may(user, right, null)} />}
      </main>
      {pages && <PageDrawer may={mayNow} onClose={closePages} />}
      <Toasts />
      <GlobalKeys may={mayNow} palette={palette} onPalette={setPalette} />
      {signedOut && (
        <LoginDialog
          onClose={() => setSignedOut(false)}
          onSignedIn={() => {
            setSignedOut(false)
            setReturns((times) => times + 1)
          }}
        />
      )}
    </div>
  )
}

function SignOut({ username }: { username: string }) {
  const client = useQueryClient()
  const leave = async () => (await import('./sign-out')).signOut(client)
  return (
    <button type="button" className="button plain" onClick={() => void leave()} title={`Sign out ${username}`}>
      <LogOut size={14} aria-hidden />
      <span className="wide-only">{username}</span>
      <span className="visually-hidden">: sign out</span>
    </button>
  )
}

/** Once the page has nothing else to do; returns how to call it off. */
function whenIdle(act: () => void): () => void {
  // Safari has no idle callbacks.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(act, 1_000)
    return () => clearTimeout(timer)
  }
  const asked = requestIdleCallback(act, { timeout: 3_000 })
  return () => cancelIdleCallback(asked)
}
