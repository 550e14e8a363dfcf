import './session.css'

import { useQueryClient } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { useState } from 'react'

import { allButSession } from '../../shared/access/speaker'
import { sessionQuery } from '../../shared/api/queries'
import { Dialog } from '../../shared/ui/dialog'
import { ProviderLink } from './provider-link'
import { TokenForm } from './token-form'

/** Opens over the page when the session ended, perhaps while somebody labels by keys; nothing on the page is lost by it. */
export default function LoginDialog({ onClose, onSignedIn }: { onClose: () => void; onSignedIn: () => void }) {
  const here = useRouterState({ select: ({ location }) => location.href })
  const client = useQueryClient()
  const whoIsIn = () => client.getQueryData(sessionQuery.queryKey)?.user.username
  const [before] = useState(whoIsIn)
  const goOn = () => {
    // What was refused meanwhile is read again. Somebody else sees nothing of what the one before was shown.
    void (whoIsIn() === before ? client.invalidateQueries(allButSession) : client.resetQueries(allButSession))
    onSignedIn()
  }
  return (
    <Dialog onClose={onClose} title="Sign in again" unasked>
      <p style={{ marginBottom: 12 }}>
        Your session has ended. Unsaved labels are kept on this computer and are sent once you sign in.
      </p>
      <ProviderLink next={here} />
      <TokenForm onSignedIn={goOn} />
    </Dialog>
  )
}
