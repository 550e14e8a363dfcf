import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Navigate, Outlet, useRouterState } from '@tanstack/react-router'
import { LogOut, Search } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'

import { outbox, useOutbox } from '../features/labeling/outbox-app'
import { SaveLine } from '../features/labeling/save-line'
import { may } from '../shared/access/roles'
import { useRights } from '../shared/access/use-may'
import { api, take } from '../shared/api/client'
import { explain, isStatus } from '../shared/api/errors'
import { sessionQuery } from '../shared/api/queries'
import { onSignedOut } from '../shared/api/signed-out'
import type { Session } from '../shared/api/types'
import { KeyCap } from '../shared/keys/key-cap'
import { adoptPreferences } from '../shared/preferences/preferences'
import { Failure } from '../shared/ui/messages'
import { toast } from '../shared/ui/toast-store'
import { Toasts } from '../shared/ui/toasts'
import { GlobalKeys } from './global-keys'
import { Nav } from './nav'
import { NotYours } from './not-yours'
import { rightAt } from './pages'
import { ProjectPicker } from './project-picker'
import { ThemeSwitch } from './theme-switch'

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
  const right = rightAt(useRouterState({ select: (state) => state.location.pathname }))
  const [palette, setPalette] = useState(false)
  const [signedOut, setSignedOut] = useState(false)
  useEffect(() => onSignedOut(() => setSignedOut(true)), [])

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
        <ProjectPicker />
        <span className="grow" />
        <Unsent />
        <button type="button" className="button" onClick={() => setPalette(true)}>
          <Search size={14} aria-hidden />
          <span className="wide-only">
            Go to <KeyCap scope="global" action="palette" />
          </span>
          <span className="visually-hidden narrow-only">Go to</span>
        </button>
        <ThemeSwitch />
        <SignOut username={user.username} />
      </header>
      <Nav may={mayNow} />
      <main id="content" className="content" tabIndex={-1}>
        {mayNow(right) ? <Outlet /> : <NotYours right={right} elsewhere={may(user, right, null)} />}
      </main>
      <Toasts />
      <GlobalKeys may={mayNow} palette={palette} onPalette={setPalette} />
      <Suspense>
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
