import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

import { TokenForm, useSignIn } from './token-form'

/** The token of an address like `/app/login#token=…`, which the platform prints for its owner. */
function tokenInAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('token')
}

export function LoginPage() {
  const { next } = useSearch({ from: '/login' })
  const navigate = useNavigate()
  const enter = () => void navigate({ href: next?.startsWith('/') ? next : '/', replace: true })
  const [token] = useState(tokenInAddress)
  const { mutate, isError } = useSignIn(enter)
  useEffect(() => {
    if (token === null) return
    // The secret leaves the address bar and the history before anything else happens.
    history.replaceState(history.state, '', location.pathname + location.search)
    mutate(token)
  }, [token, mutate])
  return (
    <main className="page" style={{ maxWidth: 480, margin: '12vh auto 0' }}>
      <div className="row">
        <img src={`${import.meta.env.BASE_URL}favicon.svg`} width={28} height={28} alt="" />
        <h1>Sign in to Motherlode</h1>
      </div>
      <div className="panel panel-body">
        {token !== null && !isError ? (
          <p role="status">Signing in with the token of the address…</p>
        ) : (
          <>
            {isError && (
              <p role="alert" style={{ color: 'var(--bad)', marginBottom: 12 }}>
                The token in the address was not accepted; paste the present one.
              </p>
            )}
            <TokenForm onSignedIn={enter} />
          </>
        )}
      </div>
    </main>
  )
}
