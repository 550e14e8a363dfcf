import type { components } from '../api/schema'

type Provider = components['schemas']['Provider']

const place = 'still-signed-in'

/** The identity provider that still knows this browser after it was signed out here; for the sign-in page of this tab. */
export function keepSignedIn(provider: Provider | null): void {
  if (provider === null) sessionStorage.removeItem(place)
  else sessionStorage.setItem(place, JSON.stringify(provider))
}

export function stillSignedIn(): Provider | null {
  const kept = sessionStorage.getItem(place)
  return kept === null ? null : (JSON.parse(kept) as Provider)
}
