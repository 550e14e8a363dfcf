/** A lease as this computer sees it; `until` and `taken` are ms on the local clock. */
export interface HeldLease {
  token: number
  until: number
  taken: number
}

/** Moves the server's time onto the local clock, so that a wrong clock here does not end leases early. */
export function held(lease: { lease_until: string; lease_token: number }, skew: number, now: number): HeldLease {
  return { token: lease.lease_token, until: Date.parse(lease.lease_until) - skew, taken: now }
}

/** Server time minus local time in ms, from an answer's Date header (whole seconds). */
export function clockSkew(response: Response, now: number): number {
  const date = Date.parse(response.headers.get('Date') ?? '')
  const skew = date - now
  // The header is cut to the second: a smaller difference is noise.
  return Number.isNaN(skew) || Math.abs(skew) < 2_000 ? 0 : skew
}

export function dueForRenewal(lease: HeldLease, now: number): boolean {
  return now >= lease.taken + (lease.until - lease.taken) / 2
}

export function secondsLeft(lease: HeldLease, now: number): number {
  return Math.max(0, (lease.until - now) / 1_000)
}
