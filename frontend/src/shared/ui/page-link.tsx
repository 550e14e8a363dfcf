import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** A link to a page that the server names below /app, such as a job's `href`: `/runs/3`. */
export function PageLink({ href, className, children }: { href: string; className?: string; children: ReactNode }) {
  return (
    // The router's types know patterns, not addresses; an address without one leads to the page that says so.
    <Link to={href as '/'} {...(className === undefined ? {} : { className })}>
      {children}
    </Link>
  )
}
