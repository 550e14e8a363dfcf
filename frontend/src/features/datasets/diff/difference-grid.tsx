import { useInfiniteQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useRef, useState } from 'react'

import type { Dataset, Difference, DiffKind } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { Empty, Failure, Skeleton } from '../../../shared/ui/messages'
import { type Move, moved } from '../windows'
import { ChangeWords } from './change-words'
import { DifferenceDrawer } from './difference-drawer'
import { noneWords } from './kinds'
import { Pictures } from './pictures'
import { differencesQuery, fromWords, type VersionPair } from './queries'

interface DifferenceGridProps {
  pair: VersionPair
  kind: DiffKind
  total: number
  dataset: Dataset
}

/** The pictures of one kind of change, a page at a time. */
export function DifferenceGrid({ pair, kind, total, dataset }: DifferenceGridProps) {
  const { classes } = dataset
  const pages = useInfiniteQuery({ ...differencesQuery(pair, kind), enabled: total > 0 })
  const [opened, setOpened] = useState<number | null>(null)
  const list = useRef<HTMLUListElement>(null)
  if (total === 0) {
    return (
      <Empty>
        {noneWords[kind]} between {fromWords(pair)} and v{pair.to}. Look at another kind of change, or choose other versions.
      </Empty>
    )
  }
  if (pages.isPending) return <Skeleton height={320} />
  if (!pages.data) return <Failure what="The pictures could not be loaded" error={pages.error} retry={() => void pages.refetch()} />
  const found = pages.data.pages.flatMap(({ results }) => results)
  const current = opened === null ? undefined : found[opened]
  return (
    <div className="stack">
      {/* Keys from the tiles, which are buttons, bubble up to here. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <ul ref={list} className={`differences ${kind === 'changed' ? 'pairs' : ''} ${dataset.task}`} onKeyDown={moveFocus}>
        {found.map((difference, index) => (
          <Tile key={difference.key} difference={difference} kind={kind} classes={classes} onOpen={() => setOpened(index)} />
        ))}
      </ul>
      <div className="row">
        <span className="quiet" role="status">
          {found.length < total ? `${found.length} of ${plural(total, 'picture')}` : plural(total, 'picture')}
        </span>
        {pages.hasNextPage && (
          <button type="button" className="button" disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            {pages.isFetchingNextPage ? 'Reading…' : 'Show more'}
          </button>
        )}
        {pages.isFetchNextPageError && <span role="alert">The next pictures could not be loaded. Show more tries again.</span>}
      </div>
      {opened !== null && current && (
        <DifferenceDrawer
          difference={current}
          kind={kind}
          classes={classes}
          pair={pair}
          place={opened}
          known={found.length}
          total={total}
          onMove={(step) => {
            const to = Math.min(Math.max(0, opened + step), found.length - 1)
            if (to === found.length - 1 && pages.hasNextPage) void pages.fetchNextPage()
            setOpened(to)
          }}
          onClose={() => {
            setOpened(null)
            const tile = list.current?.querySelectorAll('button')[opened]
            requestAnimationFrame(() => tile?.focus())
          }}
        />
      )}
    </div>
  )
}

interface TileProps {
  difference: Difference
  kind: DiffKind
  classes: string[]
  onOpen: () => void
}

function Tile({ difference, kind, classes, onOpen }: TileProps) {
  return (
    <li>
      <button type="button" className="difference" onClick={onOpen}>
        <Pictures difference={difference} kind={kind} classes={classes} />
        <span className="difference-words">
          <ChangeWords difference={difference} kind={kind} classes={classes} />
        </span>
      </button>
    </li>
  )
}

/** Arrows go from tile to tile; how many stand in a row is what the browser laid out. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  if (!event.key.startsWith('Arrow') && event.key !== 'Home' && event.key !== 'End') return
  const tiles = [...event.currentTarget.querySelectorAll('button')]
  const at = tiles.indexOf(document.activeElement as HTMLButtonElement)
  if (at < 0) return
  const top = tiles[0]?.offsetTop
  const columns = Math.max(1, tiles.filter((tile) => tile.offsetTop === top).length)
  tiles[moved(at, event.key as Move, { total: tiles.length, columns })]?.focus()
  event.preventDefault()
}
