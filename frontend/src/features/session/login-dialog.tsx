import './session.css'

import { useRouterState } from '@tanstack/react-router'

import { Dialog } from '../../shared/ui/dialog'
import { ProviderLink } from './provider-link'
import { TokenForm } from './token-form'

/** Opens over the page when the session ended, perhaps while somebody labels by keys; nothing on the page is lost by it. */
export default function LoginDialog({ onClose, onSignedIn }: { onClose: () => void; onSignedIn: () => void }) {
  const here = useRouterState({ select: ({ location }) => location.href })
  return (
    <Dialog onClose={onClose} title="Sign in again" unasked>
      <p style={{ marginBottom: 12 }}>
        Your session has ended. Unsaved labels are kept on this computer and are sent once you sign in.
      </p>
      <ProviderLink next={here} />
      <TokenForm onSignedIn={onSignedIn} />
    </Dialog>
  )
}
