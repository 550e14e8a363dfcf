import { useState } from 'react'

import type { LabelValue, ShapesValue } from '../../shared/api/types'
import type { SchemaClass } from '../../shared/classes/types'
import { letter, type Stroke } from '../../shared/keys/keyboard'
import { classed, type Editing, moved, partsOf, removed, settled, stepped } from './editing'
import { sameValue } from './options'
import type { Review } from './types'

export interface ReviewDraft {
  /** What is being made instead of the answers; null while nobody corrects. */
  value: LabelValue | null
  shapes: Editing | null
  ticked: readonly string[] | null
  editShapes: (from: ShapesValue) => void
  setShapes: (editing: Editing) => void
  tick: (classes: readonly string[]) => void
  /** A class for the chosen shape, or one to tick; undefined for a key that no class has. */
  choose: (name: string | undefined) => void
  /** A key while correcting; answers whether it meant something. */
  act: (event: KeyboardEvent) => boolean
  /** Takes the selected shape away; null while none is. */
  remove: (() => void) | null
  drop: () => void
}

/** What a reviewer has begun instead of the answers: shapes over the image, or ticked classes. */
interface Begun {
  shapes: Editing | null
  ticked: readonly string[] | null
  /** What it began as. */
  first: LabelValue
}

interface Kept {
  begun: Begun | null
  keep: (begun: Begun | null) => void
}

/** What was begun of each review stays while others are looked at. */
export interface Drafts {
  of: (review: number) => Kept
  /** How many would be lost with the page: they are not what they began as. */
  changed: (classes: readonly SchemaClass[], isOpen: (review: number) => boolean) => number
}

export function useDrafts(): Drafts {
  const [drafts, setDrafts] = useState<ReadonlyMap<number, Begun>>(new Map())
  return {
    of: (review) => ({
      begun: drafts.get(review) ?? null,
      keep: (begun) => {
        setDrafts((known) => {
          const next = new Map(known)
          if (begun === null) next.delete(review)
          else next.set(review, begun)
          return next
        })
      },
    }),
    changed: (classes, isOpen) => [...drafts].filter(([review, begun]) => isOpen(review) && !sameValue(valueOf(begun, classes), begun.first)).length,
  }
}

function valueOf({ shapes, ticked }: Begun, classes: readonly SchemaClass[]): LabelValue | null {
  if (shapes) return shapes.shapes
  return ticked && { classes: classes.map(({ name }) => name).filter((name) => ticked.includes(name)) }
}

/** The reviewer's own answer to one review. */
export function draftOf(review: Review, classes: readonly SchemaClass[], { begun, keep }: Kept): ReviewDraft {
  const { shapes = null, ticked = null } = begun ?? {}
  const setShapes = (editing: Editing) => keep(begun && { ...begun, shapes: editing })
  const drop = () => keep(null)
  const { width, height } = review.sample
  return {
    value: begun && valueOf(begun, classes),
    shapes,
    ticked,
    setShapes,
    remove: shapes && shapes.selected !== null ? () => setShapes(removed(shapes)) : null,
    drop,
    tick: (from) => keep({ shapes: null, ticked: from, first: { classes: [...from] } }),
    editShapes: (from) => {
      const editing: Editing = {
        shapes: from,
        selected: partsOf(from).length > 0 ? 0 : null,
        draws: review.kind === 'polygons' ? 'polygons' : 'boxes',
        brush: partsOf(from)[0]?.class ?? classes.find(({ archived }) => !archived)?.name ?? '',
        width: width ?? 640,
        height: height ?? 480,
      }
      keep({ shapes: editing, ticked: null, first: from })
    },
    choose: (name) => {
      if (name === undefined || begun === null) return
      if (shapes) setShapes(classed(shapes, name))
      else keep({ ...begun, ticked: ticked?.includes(name) ? ticked.filter((each) => each !== name) : [...(ticked ?? []), name] })
    },
    act: (event) => {
      if (event.key === 'Escape') drop()
      else if (!shapes) return false
      else {
        const next = afterKey(shapes, event)
        if (!next) return false
        setShapes(next)
      }
      return true
    },
  }
}

const arrows: Record<string, readonly [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

/** The shapes after a key of the editor; null for a key that means nothing there. */
export function afterKey(editing: Editing, stroke: Stroke): Editing | null {
  const { key, shiftKey } = stroke
  if (stroke.ctrlKey || stroke.metaKey) return null
  const arrow = arrows[key]
  if (arrow) {
    const far = shiftKey ? 10 : 1
    return settled(moved(editing, arrow[0] * far, arrow[1] * far))
  }
  if (key === 'Delete' || key === 'Backspace' || letter(stroke) === 'x') return removed(editing)
  if (letter(stroke) === 'j') return stepped(editing, 1)
  if (letter(stroke) === 'k') return stepped(editing, -1)
  return null
}

export function toggled(set: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(name)) next.add(name)
  return next
}
