import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import { explain } from '../../shared/api/errors'
import { sessionQuery, signInOptionsQuery } from '../../shared/api/queries'
import { clock } from '../../shared/format/numbers'
import { TextField } from '../../shared/ui/fields'
import { Fault, Form } from '../../shared/ui/form'
import { useWait } from './use-wait'

export function useSignIn(onSignedIn: () => void) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (token: string) => take(api.POST('/session', { body: { token } })),
    onSuccess: (session) => {
      client.setQueryData(sessionQuery.queryKey, session)
      onSignedIn()
    },
  })
}

export function TokenForm({ onSignedIn }: { onSignedIn: () => void }) {
  const [token, setToken] = useState('')
  const signIn = useSignIn(onSignedIn)
  const wait = useWait(signIn)
  const provider = useQuery(signInOptionsQuery).data?.provider
  return (
    <Form sending={signIn} onSend={() => signIn.mutate(token.trim())}>
      <TextField
        label="Token"
        hint={
          <>
            The token you were given. The owner of the platform finds theirs in the file <code>var/token</code> of its folder.
          </>
        }
        className="mono"
        type="password"
        autoComplete="current-password"
        spellCheck={false}
        required
        value={token}
        onChange={setToken}
        {...(signIn.isError ? { 'aria-invalid': true } : {})}
      />
      {signIn.isError && (
        <Fault>
          {explain(signIn.error)}
        </Fault>
      )}
      <div>
        <button type="submit" className={provider ? 'button' : 'button primary'} disabled={signIn.isPending || wait > 0}>
          {signIn.isPending ? 'Signing in…' : wait > 0 ? `Try again in ${clock(wait)}` : 'Sign in'}
        </button>
      </div>
    </Form>
  )
}
