import { Link } from '@tanstack/react-router'

import { Empty } from '../../shared/ui/messages'

/** What an annotator sees at the addresses of reviews. */
export function NotYours() {
  return (
    <div className="page">
      <h1>Review</h1>
      <Empty
        action={
          <Link to="/team" className="button">
            To your figures
          </Link>
        }
      >
        Reviewers and owners decide where people disagree. What they find shows in your figures.
      </Empty>
    </div>
  )
}
