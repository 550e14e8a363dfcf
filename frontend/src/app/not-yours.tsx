import { Link } from '@tanstack/react-router'

import type { Role } from '../shared/access/types'
import { Empty } from '../shared/ui/messages'

/** What stands at an address that a person's role does not open. */
export function NotYours({ least }: { least: Role }) {
  return (
    <div className="page">
      <h1>No access</h1>
      <Empty
        action={
          <Link to="/" className="button">
            To your work
          </Link>
        }
      >
        {least === 'owner'
          ? 'Only owners can add people and change roles. Your own tokens are in your settings.'
          : 'Only reviewers and owners can open this page. Ask an owner for the role if you need it.'}
      </Empty>
    </div>
  )
}
