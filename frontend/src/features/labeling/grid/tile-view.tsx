import { useQuery } from '@tanstack/react-query'
import { MessageSquare } from 'lucide-react'
import { memo, useEffect, useRef } from 'react'

import type { QueueSchema, TaskFacts } from '../../../shared/api/types'
import { commentsOf } from '../../../shared/comments/queries'
import { isOpen } from '../../../shared/comments/use-task-comments'
import { percent, plural } from '../../../shared/format/numbers'
import { MarkSwatch } from '../../../shared/ui/swatch'
import { markOf } from '../queue-kind'
import { namedClasses, valueWords } from '../values'
import { sureness, type Tile } from './tiles'

interface TileViewProps {
  tile: Tile
  place: number
  side: number
  schema: QueueSchema
  focused: boolean
  selected: boolean
  /** Not sure enough to be accepted with the page. */
  unsure: boolean
  onPick: (place: number, extend: boolean) => void
}

/** One image of the page with what will be said of it. */
export const TileView = memo(function TileView({ tile, place, side, schema, focused, selected, unsure, onPick }: TileViewProps) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (focused) button.current?.focus({ preventScroll: false })
  }, [focused])
  const { sample, flag } = tile.leasedTask.task
  const first = tile.value ? namedClasses(tile.value)[0] : undefined
  const probability = sureness(tile)
  return (
    <li>
      <button
        ref={button}
        type="button"
        className={`label-tile ${tile.manner} ${unsure ? 'unsure' : ''}`}
        style={{ width: side }}
        tabIndex={focused ? 0 : -1}
        aria-pressed={selected}
        onClick={(event) => onPick(place, event.shiftKey)}
      >
        <img src={sample.thumb} width={side - 4} height={side - 4} alt={sample.key} draggable={false} className={isTiny(sample) ? 'pixels' : ''} />
        <span className="label-tile-line">
          {first !== undefined && <MarkSwatch {...markOf(schema, first)} />}
          <span className="cut">{shortWords(tile)}</span>
          <span className="grow" />
          {flag && <span title={flag.note}>⚑</span>}
          <CommentMark task={tile.leasedTask.task} />
          {tile.manner === 'suggested' && probability !== null && <span className="number">{percent(probability, 0)}</span>}
          {unsure && <span className="visually-hidden">needs a look</span>}
        </span>
      </button>
    </li>
  )
})

/** How much was written about the image; open comments stand out. Once the thread was read, what it held then. */
function CommentMark({ task: { id, comments = 0, comments_resolved: resolved = 0, comments_hidden: hidden = 0 } }: { task: TaskFacts }) {
  const thread = useQuery({ ...commentsOf(id), enabled: false }).data
  const open = thread ? thread.comments.filter(isOpen).length : comments
  const all = thread ? thread.comments.length + thread.hidden : comments + resolved + hidden
  if (all === 0) return null
  const words = [plural(all, 'comment'), ...(open > 0 ? [`${open} open`] : [])].join(', ')
  return (
    <span className={`tile-comments ${open > 0 ? 'open' : ''}`} title={words}>
      <MessageSquare size={12} aria-hidden />
      <span aria-hidden>{open > 0 ? open : all}</span>
      <span className="visually-hidden">{words}</span>
    </span>
  )
}

export function isTiny({ width, height }: { width: number | null; height: number | null }): boolean {
  return Math.max(width ?? 640, height ?? 480) <= 128
}

function shortWords({ manner, value, reason }: Tile): string {
  switch (manner) {
    case 'suggested':
      return `${valueWords(value)}?`
    case 'sure':
      return `${valueWords(value)} ✓`
    case 'open':
      return 'no label yet'
    case 'out':
      return 'left out'
    case 'skip':
      return reason === '' ? 'skip' : `skip: ${reason}`
  }
}
