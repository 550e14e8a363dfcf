import { useQuery } from '@tanstack/react-query'

import { signInOptionsQuery } from '../../shared/api/queries'

interface ProviderLinkProps {
  /** The page to come back to, within the application. */
  next: string
}

/** The way in through the company's identity provider, where the platform has one. */
export function ProviderLink({ next }: ProviderLinkProps) {
  const provider = useQuery(signInOptionsQuery).data?.provider
  if (!provider) return null
  return (
    <div className="provider-link">
      <a className="button primary" href={`${provider.address}?next=${encodeURIComponent(next)}`}>
        Sign in with {provider.name}
      </a>
      <p className="quiet small">or with a token:</p>
    </div>
  )
}
