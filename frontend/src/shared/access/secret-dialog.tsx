import { useEffect, useState } from 'react'

import { Dialog } from '../ui/dialog'
import { Check } from '../ui/fields'
import { RefusableButton } from '../ui/refusable-button'
import { Secret } from './secret'

interface SecretDialogProps {
  title: string
  /** Whose it is: `ana`, or null for one's own. */
  of: string | null
  secret: string
  /** Whether a browser may sign in with it. */
  signsIn?: boolean | undefined
  onClose: () => void
}

/** A secret that is shown once: it goes only when somebody says that they have copied it. */
export function SecretDialog({ title, of, secret, signsIn, onClose }: SecretDialogProps) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [])
  return (
    <Dialog stays onClose={onClose} title={title}>
      <div className="stack wide-gap">
        <Secret of={of} secret={secret} signsIn={signsIn} />
        <Check checked={copied} onChange={setCopied}>
          I have copied it
        </Check>
        <div>
          <RefusableButton className="button primary" refusal={copied ? null : 'Copy it first and say so above: it is not shown again.'} onClick={onClose}>
            Done
          </RefusableButton>
        </div>
      </div>
    </Dialog>
  )
}
