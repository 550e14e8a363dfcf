import type { ReactNode } from 'react'

export type Tone = 'ok' | 'warn' | 'bad' | 'live' | 'plain'

/** A state in a word; the colour only repeats it. */
export function Chip({ tone = 'plain', bare = false, children }: { tone?: Tone; bare?: boolean; children: ReactNode }) {
  return <span className={`chip ${tone === 'plain' ? '' : tone} ${bare ? 'bare' : ''}`}>{children}</span>
}
