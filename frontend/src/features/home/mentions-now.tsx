import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { mentionsQuery } from '../../shared/comments/queries'
import { CommentSheet } from '../../shared/comments/sheet'
import type { ListedComment } from '../../shared/comments/types'
import { type CommentsOfTask, useTaskComments } from '../../shared/comments/use-task-comments'
import { when } from '../../shared/format/numbers'
import { usePicked } from '../../shared/project-choice/picked'
import { LeaveGuard } from '../../shared/ui/leave-guard'
import { Failure } from '../../shared/ui/messages'

/** Open comments that wait for whoever is signed in; nothing where there is none. */
export function MentionsNow() {
  const mentions = useQuery(mentionsQuery(usePicked()))
  const [opened, setOpened] = useState<ListedComment | null>(null)
  const comments = useTaskComments(opened ? { id: opened.task } : undefined, { stays: true })
  const results = mentions.data?.results ?? []
  if (mentions.isError && !mentions.data) {
    return (
      <section className="panel">
        <Failure what="The mentions of you could not be loaded" error={mentions.error} retry={() => void mentions.refetch()} />
      </section>
    )
  }
  return (
    <>
      {results.length > 0 && (
        <section className="panel" aria-labelledby="mentions-now">
          <div className="panel-head">
            <h2 id="mentions-now" className="grow">
              Mentions of you
            </h2>
          </div>
          <ul className="work">
            {results.map((comment) => (
              <Mention key={comment.id} comment={comment} onOpen={() => setOpened(comment)} />
            ))}
          </ul>
          {mentions.data?.next != null && <p className="panel-body small quiet">These are the newest {results.length}: resolve some to see the others.</p>}
        </section>
      )}
      <LeaveGuard unsaved={comments.unsent} />
      {opened && <Sheet comment={opened} comments={comments} onClose={() => setOpened(null)} />}
    </>
  )
}

function Mention({ comment, onOpen }: { comment: ListedComment; onOpen: () => void }) {
  const { text, author, created, queue, sample } = comment
  return (
    <li className="row">
      <div className="grow stack work-line">
        <p className="mention-words">{text}</p>
        <span className="quiet small">
          {author.username}, {when(created)} · {sample.key} of {queue}
        </span>
      </div>
      <button type="button" className="button" onClick={onOpen}>
        Open →<span className="visually-hidden"> the comment by {author.username} on {sample.key}</span>
      </button>
    </li>
  )
}

interface SheetProps {
  comment: ListedComment
  comments: CommentsOfTask
  onClose: () => void
}

/** The image with all that was written about it, and the way to where it is labelled or reviewed. */
function Sheet({ comment, comments, onClose }: SheetProps) {
  const { queue, queue_id: id, sample, url, review } = comment
  return (
    <CommentSheet title={`${sample.key} of ${queue}`} url={url} name={sample.key} of={comments} onClose={onClose}>
      {review === null ? (
        <Link to="/label/$queue" params={{ queue: String(id) }}>
          Label in {queue}
        </Link>
      ) : (
        <Link to="/review/$queue" params={{ queue: String(id) }} search={{ at: review }}>
          Review this image
        </Link>
      )}
    </CommentSheet>
  )
}
