import './comments.css'

import type { ReactNode } from 'react'

import { Dialog } from '../ui/dialog'
import { CommentsPanel } from './panel'
import { PinLayer } from './pin-layer'
import type { CommentsOfTask } from './use-task-comments'

interface CommentSheetProps {
  title: string
  /** Of the image. */
  url: string
  /** The key of the sample. */
  name: string
  /** Whether it is so small that its pixels are shown as they are. */
  tiny?: boolean
  of: CommentsOfTask
  onClose: () => void
  /** Where it leads. */
  children?: ReactNode
}

/** An image with all that was written about it. */
export function CommentSheet({ title, url, name, tiny = false, of, onClose, children }: CommentSheetProps) {
  return (
    <Dialog title={title} wide onClose={onClose}>
      <div className="comment-sheet">
        <div className="comment-image">
          <img src={url} alt={`Sample ${name}`} className={tiny ? 'pixels' : ''} />
          <PinLayer of={of} />
        </div>
        <div className="stack">
          <CommentsPanel of={of} />
          {children}
        </div>
      </div>
    </Dialog>
  )
}
