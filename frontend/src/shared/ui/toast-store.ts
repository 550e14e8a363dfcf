export interface Toast {
  id: number
  tone: 'plain' | 'warn' | 'bad'
  text: string
  action?: { label: string; run: () => void }
}

type Listener = () => void

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<Listener>()

function replace(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

/** Shows one line at the bottom right. At most one of each tone stands at a time; errors stay until closed. */
export function toast(tone: Toast['tone'], text: string, action?: Toast['action']): void {
  lastId += 1
  const fresh: Toast = { id: lastId, tone, text, ...(action ? { action } : {}) }
  replace([...toasts.filter((other) => other.tone !== tone), fresh])
}

export function dismiss(id: number): void {
  replace(toasts.filter((other) => other.id !== id))
}

export function subscribeToasts(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function currentToasts(): readonly Toast[] {
  return toasts
}
