import { Link } from '@tanstack/react-router'

import type { Role } from '../shared/access/types'
import { Empty } from '../shared/ui/messages'

/** What stands at an address that a person's role does not open. */
export function NotYours({ least }: { least: Role }) {
  return (
    <div className="page">
      <h1>Not yours</h1>
      <Empty
        action={
          <Link to="/" className="button">
            To your work
          </Link>
        }
      >
        {least === 'owner'
          ? 'Only an owner adds people and changes roles. Your own tokens are in your settings.'
          : 'Reviewers and owners work here. You label, and see how you do; ask an owner for the role if you need more.'}
      </Empty>
    </div>
  )
}
