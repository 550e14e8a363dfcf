type Listener = () => void
const listeners = new Set<Listener>()

/** Called when any request is answered 401; the shell opens its login dialog. */
export function announceSignedOut(): void {
  for (const listener of listeners) listener()
}

export function onSignedOut(listener: Listener): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}
