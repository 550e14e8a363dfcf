import { CopyLine } from '../ui/copy-line'

interface SecretProps {
  /** Whose it is: `ana`, or null for one's own. */
  of: string | null
  secret: string
  /** Whether a browser may sign in with it. */
  signsIn?: boolean | undefined
}

/** A new token's secret, which the server shows once. */
export function Secret({ of, secret, signsIn = true }: SecretProps) {
  return (
    <section className="stack" aria-label="New token" role="status">
      <p>
        <strong>Copy it now: it is shown only once.</strong>{' '}
        {of === null ? 'Anyone who has it can act as you.' : `Send it to ${of} safely: anyone who has it can act as ${of}.`}
      </p>
      <CopyLine line={secret} what="Token" />
      {of !== null && signsIn && (
        <>
          <p className="quiet small">Or a link that signs {of} in. The token is after the #, so it isn’t sent to servers or logged.</p>
          <CopyLine line={`${window.location.origin}/app/login#token=${encodeURIComponent(secret)}`} what="Link" />
        </>
      )}
    </section>
  )
}
