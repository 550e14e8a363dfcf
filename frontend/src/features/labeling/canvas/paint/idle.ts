import type { EditorState } from '../core/editor-state'
import { type Selection, without } from '../core/selection'
import type { Shape } from '../core/shapes'
import { paintChips } from './chips'
import type { Marks } from './marks'
import { type Batch, batched } from './outlines'
import { intoImage, ontoScreen, strokeOutline } from './strokes'

type Seen = Pick<EditorState, 'shapes' | 'selected' | 'view' | 'hidden' | 'hiddenShapes' | 'names'>

/** The lower canvas: every shape that is neither selected nor hidden. It is painted again only when something of it has changed. */
export class IdleLayer {
  private painted: (Seen & { ratio: number; width: number; height: number; marks: Marks }) | null = null
  private batches: { from: Pick<Seen, 'shapes' | 'selected' | 'hiddenShapes'>; idle: readonly Shape[]; batches: Batch[] } | null = null

  /** Answers whether it had to be painted. */
  paint(canvas: HTMLCanvasElement, state: EditorState, marks: Marks, ratio: number): boolean {
    const { shapes, selected, view, hidden, hiddenShapes, names } = state
    const wanted = { shapes, selected, view, hidden, hiddenShapes, names, ratio, width: canvas.width, height: canvas.height, marks }
    if (this.painted && sameEntries(this.painted, wanted)) return false
    this.painted = wanted
    const context = canvas.getContext('2d')
    if (!context) return false
    ontoScreen(context, 1)
    context.clearRect(0, 0, canvas.width, canvas.height)
    if (hidden) return true
    const { idle, batches } = this.batch(shapes, selected, hiddenShapes)
    intoImage(context, view, ratio)
    // Suggestions lie over what is confirmed: they are still to be looked at.
    for (const batch of batches.toSorted((a, b) => Number(b.confirmed) - Number(a.confirmed))) {
      strokeOutline(context, batch.path, marks.of(batch.class), batch.confirmed, 2, view.scale)
    }
    ontoScreen(context, ratio)
    if (names) paintChips(context, idle, view, marks)
    return true
  }

  private batch(shapes: readonly Shape[], selected: Selection, hiddenShapes: Selection) {
    const from = { shapes, selected, hiddenShapes }
    if (this.batches && sameEntries(this.batches.from, from)) return this.batches
    const idle = without(without(shapes, selected), hiddenShapes)
    this.batches = { from, idle, batches: batched(idle) }
    return this.batches
  }
}

function sameEntries<T extends object>(one: T, other: T): boolean {
  return (Object.keys(other) as (keyof T)[]).every((name) => one[name] === other[name])
}
