import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, Outlet, useRouterState } from '@tanstack/react-router'
import { Activity, Box, ChartNoAxesColumn, ChartSpline, Database, FlaskConical, House, LogOut, Pickaxe, Scale, Search, Server, Settings, Tags, Users, Workflow } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'

import { outbox, useOutbox } from '../features/labelling/outbox-app'
import { SaveLine } from '../features/labelling/save-line'
import { reviews } from '../shared/access/roles'
import { api, take } from '../shared/api/client'
import { explain, isStatus } from '../shared/api/errors'
import { sessionQuery } from '../shared/api/queries'
import { onSignedOut } from '../shared/api/signed-out'
import { adoptPreferences } from '../shared/preferences/preferences'
import { Failure } from '../shared/ui/messages'
import { toast } from '../shared/ui/toast-store'
import { Toasts } from '../shared/ui/toasts'
import { ThemeSwitch } from './theme-switch'

const Palette = lazy(() => import('./palette'))
const LoginDialog = lazy(() => import('../features/session/login-dialog'))

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
  return <Frame username={session.data.user.username} />
}

function ToLogin() {
  const address = useRouterState({ select: (state) => state.location.href })
  // Where the visitor wanted to go, not where this redirect goes: the address changes while it is under way.
  const [next] = useState(address)
  return <Navigate to="/login" search={{ next }} replace />
}

function Frame({ username }: { username: string }) {
  const [palette, setPalette] = useState(false)
  const [signedOut, setSignedOut] = useState(false)
  useEffect(() => onSignedOut(() => setSignedOut(true)), [])
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      setPalette(true)
    }
    window.addEventListener('keydown', open)
    return () => window.removeEventListener('keydown', open)
  }, [])

  return (
    <div className="shell">
      <a className="skip-link button" href="#content">
        Skip to the content
      </a>
      <header className="topbar">
        <Link to="/" className="brand">
          <img src={`${import.meta.env.BASE_URL}favicon.svg`} width={22} height={22} alt="" />
          <span>Motherlode</span>
        </Link>
        <span className="grow" />
        <Unsent />
        <button type="button" className="button" onClick={() => setPalette(true)}>
          <Search size={14} aria-hidden />
          <span className="wide-only">Go to</span> <kbd>{commandKey} K</kbd>
        </button>
        <ThemeSwitch />
        <SignOut username={username} />
      </header>
      <Nav />
      <main id="content" className="content" tabIndex={-1}>
        <Outlet />
      </main>
      <Toasts />
      <Suspense>
        {palette && <Palette onClose={() => setPalette(false)} />}
        {signedOut && (
          <LoginDialog
            onClose={() => setSignedOut(false)}
            onSignedIn={() => {
              setSignedOut(false)
              void outbox.drain()
            }}
          />
        )}
      </Suspense>
    </div>
  )
}

const commandKey = navigator.userAgent.includes('Mac') ? '⌘' : 'Ctrl'

const pages = [
  { to: '/loop', name: 'Loop', Icon: ChartSpline },
  { to: '/datasets', name: 'Datasets', Icon: Database },
  { to: '/label', name: 'Label', Icon: Tags },
  { to: '/mining', name: 'Mining', Icon: Pickaxe },
  { to: '/pipelines', name: 'Pipelines', Icon: Workflow },
  { to: '/backtests', name: 'Back-tests', Icon: FlaskConical },
  { to: '/models', name: 'Models', Icon: Box },
  { to: '/jobs', name: 'Jobs', Icon: Activity },
  { to: '/workers', name: 'Workers', Icon: Server },
] as const

/** Who labels, and what needs a second look. */
const peoplePages = [
  { to: '/review', name: 'Review', Icon: Scale },
  { to: '/team', name: 'Team', Icon: ChartNoAxesColumn },
  { to: '/people', name: 'People', Icon: Users },
  { to: '/settings', name: 'Settings', Icon: Settings },
] as const

function Nav() {
  const role = useQuery(sessionQuery).data?.user.role
  const mine = peoplePages.filter(({ to }) => (to === '/people' ? role === 'owner' : to !== '/review' || reviews(role)))
  const inRuns = useRouterState({ select: (state) => state.location.pathname.startsWith('/runs/') })
  return (
    <nav className="nav" aria-label="Pages">
      <Link to="/" activeOptions={{ exact: true }} className="nav-link">
        <House size={16} aria-hidden />
        <span>My work</span>
      </Link>
      {[...pages, ...mine].map(({ to, name, Icon }) => (
        <Link key={to} to={to} className={`nav-link ${to === '/models' && inRuns ? 'active' : ''}`}>
          <Icon size={16} aria-hidden />
          <span>{name}</span>
        </Link>
      ))}
    </nav>
  )
}

/** Labels that still wait are worth a line on every page; silence means that all is saved. */
function Unsent() {
  const { waiting, refused } = useOutbox()
  const atQueue = useRouterState({ select: (state) => /\/label\/./.test(state.location.pathname) })
  return atQueue || waiting + refused.length === 0 ? null : <SaveLine />
}

function SignOut({ username }: { username: string }) {
  const client = useQueryClient()
  const leave = async () => {
    await outbox.drain()
    if (outbox.snapshot().waiting > 0) {
      toast('bad', 'Some labels are not saved yet; stay signed in until the server has them.')
      return
    }
    try {
      await take(api.DELETE('/session'))
      client.clear()
      location.assign('/app/login')
    } catch (error) {
      toast('bad', `You are still signed in. ${explain(error)}`)
    }
  }
  return (
    <button type="button" className="button plain" onClick={() => void leave()} title={`Sign out ${username}`}>
      <LogOut size={14} aria-hidden />
      <span className="wide-only">{username}</span>
      <span className="visually-hidden">: sign out</span>
    </button>
  )
}
