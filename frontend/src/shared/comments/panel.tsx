import './comments.css'

import { type ReactNode, useEffect, useRef, useState } from 'react'

import { plural, when } from '../format/numbers'
import { TextArea } from '../ui/fields'
import { Form } from '../ui/form'
import { Failure, Skeleton } from '../ui/messages'
import { commentId } from './pin-layer'
import { useDelete, useResolve, useWrite } from './queries'
import type { Comment } from './types'
import { type CommentsOfTask, isOpen, startPlacing } from './use-task-comments'

interface PanelProps {
  of: CommentsOfTask
  /** The key that opens it, as it is printed. */
  keyCap?: ReactNode
}

/** What people wrote to each other about the image, and the box to write in. */
export function CommentsPanel({ of, keyCap }: PanelProps) {
  const { comments, open, hidden, shown, stays } = of
  const numbered = comments.map((comment, index) => ({ comment, number: index + 1 }))
  const resolved = numbered.filter(({ comment }) => !isOpen(comment))
  return (
    <section className="comments stack" aria-labelledby="comments">
      <div className="row">
        <h2 id="comments" className="grow">
          Comments {open > 0 && <span className="quiet">{open} open</span>}
        </h2>
        {!stays && (
          <button type="button" className="button little" aria-expanded={shown} onClick={() => (shown ? of.show(false) : of.write())}>
            {shown ? 'Hide' : 'Write'} {!shown && keyCap}
            <span className="visually-hidden"> comments</span>
          </button>
        )}
      </div>
      {hidden > 0 && <p className="small">{plural(hidden, 'comment')} by others {hidden === 1 ? 'shows' : 'show'} after you have answered.</p>}
      {shown && (
        <>
          {of.isPending && <Skeleton height={48} />}
          {of.error !== null && <Failure what="The comments could not be loaded" error={of.error} retry={of.retry} />}
          <CommentList of={numbered.filter(({ comment }) => isOpen(comment))} />
          {resolved.length > 0 && (
            <details>
              <summary>{resolved.length} resolved</summary>
              <CommentList of={resolved} />
            </details>
          )}
          <Composer of={of} />
        </>
      )}
    </section>
  )
}

interface Numbered {
  comment: Comment
  number: number
}

function CommentList({ of }: { of: Numbered[] }) {
  return of.length === 0 ? null : (
    <ol className="comment-list">
      {of.map((each) => (
        <CommentItem key={each.comment.id} {...each} />
      ))}
    </ol>
  )
}

function CommentItem({ comment, number }: Numbered) {
  const resolve = useResolve()
  const remove = useDelete()
  const [asks, setAsks] = useState(false)
  const { id, author, text, created, deletable, resolved_by: by } = comment
  const named = <span className="visually-hidden"> comment {number}</span>
  const resolved = !isOpen(comment)
  return (
    <li id={commentId(id)} tabIndex={-1}>
      <p className="row small">
        <span className={comment.x === null ? 'comment-number' : 'comment-number placed'}>{number}</span>
        <span className="grow">
          <strong>{author.username}</strong> <span className="quiet">{when(created)}</span>
        </span>
      </p>
      <p className="comment-text">{text}</p>
      {by !== null && <p className="small quiet">Resolved by {by}</p>}
      <div className="row wrap">
        <button type="button" className="button little" disabled={resolve.isPending} onClick={() => resolve.mutate({ id, resolved: !resolved })}>
          {resolved ? 'Reopen' : 'Resolve'}
          {named}
        </button>
        {deletable && !asks && (
          <button type="button" className="button little" onClick={() => setAsks(true)}>
            Delete{named}
          </button>
        )}
        {asks && (
          <>
            <button type="button" className="button little danger" disabled={remove.isPending} onClick={() => remove.mutate(id)}>
              Delete for good{named}
            </button>
            <button type="button" className="button little" onClick={() => setAsks(false)}>
              Keep it
            </button>
          </>
        )}
      </div>
    </li>
  )
}

function Composer({ of }: { of: CommentsOfTask }) {
  const { task, draft, setDraft, people, placing, asked } = of
  const box = useRef<HTMLTextAreaElement>(null)
  const write = useWrite(task)
  const refusal = placing === null ? (draft.text.trim() === '' ? 'Write the comment first.' : null) : 'Place it on the image first, or give up placing.'
  useEffect(() => {
    if (asked > 0) box.current?.focus()
  }, [asked])
  const send = () => {
    if (!write.isPending) write.mutate(draft, { onSuccess: () => setDraft({ text: '', place: null }) })
  }
  const mention = (name: string) => {
    setDraft({ text: `${draft.text}${/\S$/.test(draft.text) ? ' ' : ''}@${name} ` })
    box.current?.focus()
  }
  return (
    <Form
      sending={{ ...write, mutate: send }}
      action={
        <>
          Send <kbd>Ctrl Enter</kbd>
        </>
      }
      doing="Sending…"
      refusal={refusal}
    >
      <TextArea
        ref={box}
        label="Comment"
        name="text"
        rows={3}
        maxLength={2000}
        hint="Everybody who labels or reviews this queue reads it."
        value={draft.text}
        onChange={(text) => setDraft({ text })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation()
            event.currentTarget.blur()
          } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
            event.preventDefault()
            event.currentTarget.form?.requestSubmit()
          }
        }}
      />
      <div className="row wrap">
        <select className="field" aria-label="Mention somebody" value="" onChange={({ target }) => mention(target.value)}>
          <option value="">Mention…</option>
          {people.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <PlaceButton of={of} />
      </div>
      <p className="small quiet" role="status">
        {placing ? 'Click or tap the image, or move the crosshair with the arrows and press Enter. Without a place, give up first: Escape, or the button again.' : draft.place && `Placed at ${percent(draft.place.x)}, ${percent(draft.place.y)}.`}
      </p>
    </Form>
  )
}

function PlaceButton({ of }: { of: CommentsOfTask }) {
  const { draft, placing, setPlacing, setDraft } = of
  return (
    <>
      <button type="button" className="button little" aria-pressed={placing !== null} onClick={() => (placing ? setPlacing(null) : startPlacing(of))}>
        {draft.place ? 'Place it elsewhere' : 'Place on the image'}
      </button>
      {draft.place && placing === null && (
        <button type="button" className="button little" onClick={() => setDraft({ place: null })}>
          Remove the place
        </button>
      )}
    </>
  )
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
