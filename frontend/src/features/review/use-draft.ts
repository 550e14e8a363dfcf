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
  drop: () => void
  /** Whether it would be lost with the page: it is not what it began as. */
  changed: boolean
}

/** The reviewer's own answer: shapes over the image, or ticked classes. */
export function useDraft(review: Review, classes: readonly SchemaClass[]): ReviewDraft {
  const [shapes, setShapes] = useState<Editing | null>(null)
  const [ticked, setTicked] = useState<readonly string[] | null>(null)
  const [first, setFirst] = useState<LabelValue | null>(null)
  const drop = () => {
    setShapes(null)
    setTicked(null)
  }
  const { width, height } = review.sample
  const value = shapes ? shapes.shapes : ticked ? { classes: classes.map(({ name }) => name).filter((name) => ticked.includes(name)) } : null
  return {
    value,
    shapes,
    ticked,
    setShapes,
    drop,
    changed: value !== null && !sameValue(value, first),
    tick: (from) => {
      setFirst({ classes: [...from] })
      setTicked(from)
    },
    editShapes: (from) => {
      setFirst(from)
      setShapes({
        shapes: from,
        selected: partsOf(from).length > 0 ? 0 : null,
        draws: review.kind === 'polygons' ? 'polygons' : 'boxes',
        brush: partsOf(from)[0]?.class ?? classes.find(({ archived }) => !archived)?.name ?? '',
        width: width ?? 640,
        height: height ?? 480,
      })
    },
    choose: (name) => {
      if (name === undefined) return
      if (shapes) setShapes(classed(shapes, name))
      else setTicked(ticked?.includes(name) ? ticked.filter((each) => each !== name) : [...(ticked ?? []), name])
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
