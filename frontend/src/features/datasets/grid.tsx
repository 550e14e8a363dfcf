import { useQuery } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'

import { classAt } from '../../shared/classes/class-key'
import { schemaQuery } from '../../shared/classes/queries'
import type { Commit, Dataset, Sample } from '../../shared/api/types'
import type { ActionOf } from '../../shared/keys/keymap'
import type { DigitsMean } from '../../shared/keys/present'
import { useActions } from '../../shared/keys/use-keys'
import { later } from '../../shared/ui/later'
import { Empty, Failure } from '../../shared/ui/messages'
import { nearDuplicatesQuery, type Selection } from './queries'
import { modelField, orderField } from './predictions/predictions-bar'
import type { Predictor } from './predictions/queries'
import { usePredictions } from './predictions/use-predictions'
import type { Rendering } from './rendering'
import { type Act, ActDialog, type Doing, useOffers } from './selection/acting'
import { copyKeys, SelectionBar } from './selection/selection-bar'
import type { ChosenSamples } from './selection/use-chosen'
import type { Undo } from '../../shared/edits/use-undo'
import { useFindSimilar } from './similar/use-find-similar'
import { Tile } from './tile'
import { useSamples } from './use-samples'
import { useSize } from '../../shared/ui/use-size'
import { layout, moved, overscan, rowCount, type Move } from './windows'
import { taskTypeOf } from '../../tasktypes'
import { focusSearch } from './words/focus-search'

interface GridProps {
  dataset: Dataset
  selection: Selection
  tileWanted: number
  rendering: Rendering
  onRendering: () => void
  /** Whose predictions are shown on the tiles. */
  predictor: Predictor | null
  /** Boxes and polygons are drawn on the tiles. */
  shapes: boolean
  onShapes: () => void
  chosen: ChosenSamples
  /** The address names one sample: it is open at first. */
  opens: boolean
  undo: Undo
  /** Shows the newest version in place of an older one. */
  onHead: () => void
}

const moves: Partial<Record<ActionOf<'items'>, Move>> = {
  left: 'ArrowLeft', right: 'ArrowRight', up: 'ArrowUp', down: 'ArrowDown', pageUp: 'PageUp', pageDown: 'PageDown', first: 'Home', last: 'End',
}
const ItemDrawer = later(async () => (await import('./item-drawer')).ItemDrawer)

const ranges: Partial<Record<ActionOf<'items'>, Move>> = {
  rangeLeft: 'ArrowLeft', rangeRight: 'ArrowRight', rangeUp: 'ArrowUp', rangeDown: 'ArrowDown', rangePageUp: 'PageUp', rangePageDown: 'PageDown', rangeFirst: 'Home', rangeLast: 'End',
}
const digits: DigitsMean = [['1–9  0  ⇧1–0', 'Relabel the selection as the class with that key']]

export function Grid({ dataset, selection, tileWanted, rendering, onRendering, predictor, shapes, onShapes, chosen, opens, undo, onHead }: GridProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const { width, height } = useSize(scroller)
  const { columns, tile, rowHeight } = layout(width, height, tileWanted)
  const [total, setTotal] = useState(0)
  const [focus, setFocus] = useState(0)
  /** Where a range begins. */
  const [anchor, setAnchor] = useState(0)
  const [ranging, setRanging] = useState(false)
  const [opened, setOpened] = useState(opens ? 0 : null)
  const [doing, setDoing] = useState<Doing | null>(null)
  const findSimilar = useFindSimilar(selection.dataset)
  const nearDuplicates = useQuery(nearDuplicatesQuery(selection.dataset)).data
  const offers = useOffers(dataset)
  const atHead = selection.version === 'head' || selection.version === dataset.head
  const schema = useQuery({ ...schemaQuery(dataset.name), enabled: atHead && taskTypeOf(dataset.task).answer === 'class' && offers.some(({ act }) => act === 'relabel') }).data
  const { classes } = dataset

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
  const predicted = usePredictions(selection, predictor, samples.windows)
  if (samples.total !== null && samples.total !== total) setTotal(samples.total)

  const go = (to: number) => {
    setFocus(to)
    rows.scrollToIndex(Math.floor(to / columns), { align: 'auto' })
    focusTile(scroller.current, to)
  }
  const pick = (index: number, ranged: boolean) => {
    const sample = samples.at(index)
    if (ranged || ranging) chosen.range(anchor, index, samples.at)
    else if (sample) chosen.toggle(sample)
    // The next range goes on from here, but one that is drawn out further keeps its beginning.
    if (!ranged) setAnchor(index)
    setRanging(false)
  }
  const offered = (act: Act) => (atHead && chosen.count > 0 ? offers.find((offer) => offer.act === act) : undefined)
  const act = (what: Act, preset?: string) => {
    const offer = offered(what)
    if (offer) setDoing({ act: what, ...(preset === undefined ? {} : { preset }) })
    return offer !== undefined
  }
  const similarTo = (sample: Sample | undefined) => {
    if (sample) findSimilar(sample.key)
    return sample !== undefined
  }
  const onAction = (action: ActionOf<'items'>, event: KeyboardEvent): boolean => {
    const inGrid = event.target instanceof Node && scroller.current?.contains(event.target) === true
    const move = moves[action]
    const range = ranges[action]
    if (inGrid && move) {
      const to = moved(focus, move, { total, columns })
      setAnchor(to)
      go(to)
    } else if (inGrid && range) {
      const to = moved(focus, range, { total, columns })
      chosen.range(anchor, to, samples.at)
      go(to)
    } else if (inGrid && action === 'select') pick(focus, false)
    else if (inGrid && action === 'rangeHere') pick(focus, true)
    else if (inGrid && action === 'open') setOpened(focus)
    else if (inGrid && action === 'similar') return similarTo(samples.at(focus))
    else if (action === 'selectAll' && (inGrid || event.target === document.body)) chosen.selectAll()
    else if (action === 'clear' && (chosen.count > 0 || ranging)) {
      chosen.clear()
      setRanging(false)
    } else if (action === 'copy' && chosen.count > 0 && window.getSelection()?.isCollapsed !== false) void copyKeys(chosen)
    else if (action === 'undo') undo.last()
    else if (action === 'shapes') onShapes()
    else if (action === 'search') return focusSearch()
    else if (action === 'rendering') onRendering()
    else if (action === 'predictions') return focusOn(modelField)
    else if (action === 'order') return focusOn(orderField)
    else if (action === 'relabel' || action === 'move' || action === 'tag' || action === 'queue' || action === 'remove') return act(action)
    else return false
    return true
  }
  useActions('items', {
    act: onAction,
    choose: (place) => {
      const named = schema && classAt(schema.classes, place)
      return named !== undefined && act('relabel', named.name)
    },
    digits,
  })
  const onDone = (done: Act, words: string, commit: Commit, final?: boolean) => {
    undo.offer(words, commit, final)
    // What a filter may show no longer is not kept selected where nobody sees it.
    if (done === 'remove' || selection.shown !== '') chosen.clear()
    if (selection.version !== 'head') onHead()
  }

  if (samples.error && total === 0) return <Failure what="The samples could not be loaded" error={samples.error} retry={samples.retry} />
  if (samples.total === 0) return <Empty>No sample matches. Remove a filter to see more.</Empty>
  return (
    <div className="grid-column">
      <div
        ref={scroller}
        className={`grid-scroll ${chosen.count > 0 ? 'selecting' : ''}`}
        role="grid"
        aria-label="Samples"
        aria-rowcount={rowCount(total, columns)}
        aria-colcount={columns}
        aria-multiselectable
        tabIndex={-1}
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
                    said={sample && predicted(sample.id)}
                    near={sample && nearDuplicates?.get(sample.key)}
                    classes={classes}
                    size={tile}
                    rendering={rendering}
                    shapes={shapes}
                    focused={index === focus}
                    chosen={sample !== undefined && chosen.has(sample.id)}
                    onFocus={() => setFocus(index)}
                    onOpen={() => {
                      if (ranging) { pick(index, true); return; }
                      setAnchor(index)
                      setOpened(index)
                    }}
                    onPick={(ranged) => pick(index, ranged)}
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
      {(chosen.count > 0 || chosen.reading) && (
        <SelectionBar
          chosen={chosen}
          offers={offers}
          head={atHead ? null : dataset.head}
          ranging={ranging}
          onRanging={setRanging}
          onAct={act}
          onHead={onHead}
        />
      )}
      <ActDialog
        doing={doing}
        dataset={dataset}
        target={{ filter: chosen.filter, count: chosen.count, stamp: chosen.stamp }}
        onClose={() => {
          setDoing(null)
          focusTile(scroller.current, focus)
        }}
        onDone={onDone}
      />
      {opened !== null && (
        <ItemDrawer
          dataset={dataset}
          sample={samples.at(opened)}
          near={nearDuplicates?.get(samples.at(opened)?.key ?? '')}
          offers={atHead ? offers : []}
          undo={undo}
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

/** Whether there is such a field, which has the focus then. */
function focusOn(field: string): boolean {
  const found = document.getElementById(field)
  found?.focus()
  return found !== null
}

/** The tile may be mounted only by the scroll that was just asked for, so the focus waits two frames. */
function focusTile(scroller: HTMLElement | null, index: number): void {
  const act = () => scroller?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true })
  requestAnimationFrame(() => requestAnimationFrame(act))
}
