import './session.css'

import { useNavigate, useRouterState, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

import { keepSignedIn, stillSignedIn } from '../../shared/access/still-signed-in'
import { explain, isStatus } from '../../shared/api/errors'
import { ProviderLink } from './provider-link'
import { refusalWords } from './refusals'
import { TokenForm, useSignIn } from './token-form'

/** The token of an address like `/app/login#token=…`, so that a printed link signs its owner in. */
function tokenIn(hash: string): string | null {
  return new URLSearchParams(hash).get('token')
}

export function LoginPage() {
  const { next, refused } = useSearch({ from: '/login' })
  const navigate = useNavigate()
  const page = next !== undefined && /^\/(?![/\\])/.test(next) ? next : '/'
  const [provider] = useState(stillSignedIn)
  const enter = () => {
    keepSignedIn(null)
    void navigate({ href: page, replace: true })
  }
  const hash = useRouterState({ select: (state) => state.location.hash })
  const { mutate, isPending, isError, error } = useSignIn(enter)
  useEffect(() => {
    const token = tokenIn(hash)
    if (token === null) return
    // The secret leaves the address bar and the history before anything else happens.
    history.replaceState(history.state, '', location.pathname + location.search)
    mutate(token)
  }, [hash, mutate])
  return (
    <main className="page" style={{ maxWidth: 480, margin: '12vh auto 0' }}>
      <div className="row">
        <img src={`${import.meta.env.BASE_URL}favicon.svg`} width={28} height={28} alt="" />
        <h1>Sign in to Motherlode</h1>
      </div>
      <div className="panel panel-body">
        {isPending ? (
          <p role="status">Signing in with the token of the address…</p>
        ) : (
          <>
            {isError && (
              <p role="alert" className="login-refusal">
                {isStatus(error, 429) ? explain(error) : 'The token in the address was not accepted; paste a newer one, or ask an owner for it.'}
              </p>
            )}
            {refused !== undefined && !isError && (
              <p role="alert" className="login-refusal">
                {refusalWords(refused)}
              </p>
            )}
            {provider !== null && (
              <p role="status" className="login-note">
                You are signed out here. With {provider.name} you are still signed in: <a href={provider.address} onClick={() => keepSignedIn(null)}>sign out there too</a>.
              </p>
            )}
            <ProviderLink next={page} />
            <TokenForm onSignedIn={enter} />
          </>
        )}
      </div>
    </main>
  )
}
