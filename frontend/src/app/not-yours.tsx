import { Link } from '@tanstack/react-router'

import type { Right } from '../shared/access/roles'
import { pickProject } from '../shared/project-choice/picked'
import { Empty } from '../shared/ui/messages'

const words: Record<Right, string> = {
  see: 'You are in no project that has this page. Ask an owner to add you.',
  read: 'Annotators can’t open this page. Ask an owner for the role viewer or reviewer if you need it.',
  label: 'Viewers don’t label. Ask an owner for the role annotator if you need it.',
  review: 'Only reviewers, engineers and owners can open this page. Ask an owner for the role if you need it.',
  build: 'Only engineers and owners can open this page. Ask an owner for the role if you need it.',
  own: 'Only owners of the project can open this page. Ask one of them for it.',
  administer: 'Only owners of the platform can add people and change roles. Your own tokens are in your settings.',
}

/** What stands at an address that a person's role does not open; `elsewhere`: in another project it does. */
export function NotYours({ right, elsewhere }: { right: Right; elsewhere: boolean }) {
  return (
    <div className="page">
      <h1>No access</h1>
      <Empty
        action={
          elsewhere ? (
            <button type="button" className="button" onClick={() => pickProject(null)}>
              Show all projects
            </button>
          ) : (
            <Link to="/" className="button">
              To your work
            </Link>
          )
        }
      >
        {words[right]}
        {elsewhere && ' That is your role in the project you picked; in another one you can.'}
      </Empty>
    </div>
  )
}
