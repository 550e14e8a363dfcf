import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'

import type { Sample } from '../../shared/api/types'
import { plural } from '../../shared/format/numbers'
import { Empty, Failure } from '../../shared/ui/messages'
import { toast } from '../../shared/ui/toast-store'
import { ItemDrawer } from './item-drawer'
import { nearDuplicatesQuery, type Selection } from './queries'
import { useSimilarKey } from './similar/use-similar-key'
import { Tile } from './tile'
import { useSamples } from './use-samples'
import { useSize } from './use-size'
import { layout, moved, overscan, rowCount, type Move } from './windows'

interface GridProps {
  selection: Selection
  classes: string[]
  tileWanted: number
}

const moves = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'])

export function Grid({ selection, classes, tileWanted }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const { width, height } = useSize(scroller)
  const { columns, tile, rowHeight } = layout(width, height, tileWanted)
  const [total, setTotal] = useState(0)
  const [focus, setFocus] = useState(0)
  const [opened, setOpened] = useState<number | null>(null)
  const chosen = useChosen()
  const findsSimilar = useSimilarKey(selection.dataset)
  const nearDuplicates = useQuery(nearDuplicatesQuery(selection.dataset)).data

  // The virtualizer answers from mutable state; this component reads it afresh on each render and memoises nothing of it.
  // eslint-disable-next-line react-hooks/incompatible-library
  const rows = useVirtualizer({
    count: rowCount(total, columns),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
  })
  useEffect(() => rows.measure(), [rows, rowHeight])

  const visible = rows.getVirtualItems()
  const first = (visible[0]?.index ?? 0) * columns
  const last = ((visible.at(-1)?.index ?? 0) + 1) * columns - 1
  const samples = useSamples(selection, first, last, total)
  if (samples.total !== null && samples.total !== total) setTotal(samples.total)

  const go = (to: number) => {
    setFocus(to)
    rows.scrollToIndex(Math.floor(to / columns), { align: 'auto' })
    focusTile(scroller.current, to)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (moves.has(event.key)) {
      const to = moved(focus, event.key as Move, { total, columns })
      if (event.shiftKey) chosen.range(focus, to, samples.at)
      go(to)
    } else if (event.key === ' ') chosen.toggle(samples.at(focus))
    else if (event.key === 'Enter') setOpened(focus)
    else if (findsSimilar(event.nativeEvent, samples.at(focus))) event.stopPropagation()
    else if (event.key === 'Escape' && chosen.items.size > 0) chosen.clear()
    else return
    event.preventDefault()
  }

  if (samples.error && total === 0) return <Failure what="The samples could not be loaded" error={samples.error} retry={samples.retry} />
  if (samples.total === 0) return <Empty>No sample matches. Remove a filter to see more.</Empty>
  return (
    <div className="grid-column">
      <div
        ref={scroller}
        className="grid-scroll"
        role="grid"
        aria-label="Samples"
        aria-rowcount={rowCount(total, columns)}
        aria-colcount={columns}
        aria-multiselectable
        tabIndex={-1}
        onKeyDown={onKeyDown}
      >
        <div role="presentation" style={{ height: Math.max(rows.getTotalSize(), total === 0 ? height : 0), position: 'relative' }}>
          {visible.map((row) => (
            <div
              key={row.key}
              role="row"
              aria-rowindex={row.index + 1}
              className="grid-row"
              style={{ transform: `translateY(${row.start}px)`, height: tile + 24 }}
            >
              {Array.from({ length: Math.min(columns, total - row.index * columns) }, (_, column) => {
                const index = row.index * columns + column
                const sample = samples.at(index)
                return (
                  <Tile
                    key={index}
                    dataset={selection.dataset}
                    index={index}
                    sample={sample}
                    near={sample && nearDuplicates?.get(sample.key)}
                    classes={classes}
                    size={tile}
                    focused={index === focus}
                    chosen={sample !== undefined && chosen.items.has(String(sample.id))}
                    onFocus={() => setFocus(index)}
                    onOpen={() => setOpened(index)}
                    onPick={(ranged) => (ranged ? chosen.range(focus, index, samples.at) : chosen.toggle(sample))}
                  />
                )
              })}
            </div>
          ))}
        </div>
      </div>
      {samples.error && (
        <div className="grid-foot" role="alert">
          Some tiles could not be loaded.
          <button type="button" className="button little" onClick={samples.retry}>
            Try again
          </button>
        </div>
      )}
      {chosen.items.size > 0 && <ChosenBar chosen={chosen} />}
      {opened !== null && (
        <ItemDrawer
          dataset={selection.dataset}
          sample={samples.at(opened)}
          near={nearDuplicates?.get(samples.at(opened)?.key ?? '')}
          classes={classes}
          place={opened}
          total={total}
          onMove={(step) => {
            const to = Math.min(Math.max(0, opened + step), total - 1)
            setOpened(to)
            setFocus(to)
            rows.scrollToIndex(Math.floor(to / columns), { align: 'auto' })
          }}
          onClose={() => {
            setOpened(null)
            focusTile(scroller.current, opened)
          }}
        />
      )}
    </div>
  )
}

/** The tile may be mounted only by the scroll that was just asked for, so the focus waits two frames. */
function focusTile(scroller: HTMLElement | null, index: number): void {
  const act = () => scroller?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true })
  requestAnimationFrame(() => requestAnimationFrame(act))
}

interface Chosen {
  /** Keys of the chosen samples by id. */
  items: ReadonlyMap<string, string>
  toggle: (sample: Sample | undefined) => void
  range: (from: number, to: number, at: (index: number) => Sample | undefined) => void
  clear: () => void
}

function useChosen(): Chosen {
  const [items, setItems] = useState<ReadonlyMap<string, string>>(() => new Map())
  return {
    items,
    toggle: (sample) => {
      if (!sample) return
      const next = new Map(items)
      if (!next.delete(String(sample.id))) next.set(String(sample.id), sample.key)
      setItems(next)
    },
    range: (from, to, at) => {
      const next = new Map(items)
      for (let index = Math.min(from, to); index <= Math.max(from, to); index += 1) {
        const sample = at(index)
        if (sample) next.set(String(sample.id), sample.key)
      }
      setItems(next)
    },
    clear: () => setItems(new Map()),
  }
}

function ChosenBar({ chosen }: { chosen: Chosen }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText([...chosen.items.values()].join('\n'))
      toast('plain', `${plural(chosen.items.size, 'key')} copied`)
    } catch {
      toast('bad', 'The browser does not let this page write to the clipboard.')
    }
  }
  return (
    <div className="grid-foot" role="status">
      <span className="grow">{plural(chosen.items.size, 'sample')} selected</span>
      <button type="button" className="button little" onClick={() => void copy()}>
        Copy keys
      </button>
      <button type="button" className="button little" onClick={chosen.clear}>
        Clear
      </button>
    </div>
  )
}
