import type { Verified } from '../../label-session'
import type { Editor } from '../core/editor'
import { countIn, placesIn } from '../core/label'
import { byDoubt, type Shape } from '../core/shapes'

/** What is asked now: whether a suggested shape is right, or whether one is missing; `drawing`: what is missing is drawn. */
export interface Asked {
  step: 'shape' | 'missing' | 'drawing'
  /** Of the shapes to ask about. */
  place: number
  /** The shape may be moved. */
  adjusting: boolean
}

/** How far the questions are, as it is kept on this computer. Seconds are by the id of the shape. */
export interface KeptQuestions {
  place: number
  seconds: [number, number][]
  missing: number
  drawing: number
}

const fresh: KeptQuestions = { place: 0, seconds: [], missing: 0, drawing: 0 }

/**
 * The questions of one image, one after the other: each suggested shape, least sure first, then whether one is missing.
 *
 * Holds no React and no DOM; the shapes are the editor's, and each answer changes them at once.
 */
export class Questions {
  private readonly suggested: readonly Shape[]
  private readonly seconds: Map<number, number>
  private missing: number
  private drawing: number
  private found = false
  private state: Asked
  private readonly listeners = new Set<() => void>()

  /** `suggested` are the shapes of `suggestion` as they are shown; `lap` answers the seconds since it was last asked. */
  constructor(
    private readonly editor: Editor,
    private readonly suggestion: unknown,
    suggested: readonly Shape[],
    private readonly lap: () => number,
    kept: KeptQuestions = fresh,
  ) {
    this.suggested = byDoubt(suggested)
    this.seconds = new Map(kept.seconds)
    this.missing = kept.missing
    this.drawing = kept.drawing
    this.state = { step: 'shape', place: Math.min(kept.place, suggested.length), adjusting: false }
    this.ask(this.state.place)
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  readonly snapshot = (): Asked => this.state

  get total(): number {
    return this.suggested.length
  }

  /** The shape that is asked about, as it stands now. */
  shape(): Shape | null {
    const asked = this.state.step === 'shape' ? this.suggested[this.state.place] : undefined
    return (asked && this.editor.snapshot().shapes.find(({ id }) => id === asked.id)) ?? null
  }

  /** The shape is right as it stands; or one is missing, which is drawn now. */
  yes(): void {
    const shape = this.shape()
    if (shape) {
      this.editor.put({ ...shape })
      this.next()
    } else if (this.state.step === 'missing') {
      this.spend()
      this.found = true
      this.editor.allow('all')
      this.editor.settle()
      this.editor.repeatTool()
      this.change({ step: 'drawing' })
    }
  }

  /** Nothing is there; or none is missing, which ends the questions: true. */
  no(): boolean {
    const shape = this.shape()
    if (shape) {
      this.editor.select(shape.id)
      this.editor.remove()
      this.next()
      return false
    }
    return this.state.step === 'missing'
  }

  /** Something is there, of another class. */
  choose(name: string): boolean {
    const shape = this.shape()
    if (!shape) return false
    this.editor.put({ ...shape, class: name })
    this.next()
    return true
  }

  /** The shape is moved before it is confirmed. */
  adjust(): boolean {
    if (!this.shape()) return false
    this.editor.allow('selected')
    this.change({ adjusting: true })
    return true
  }

  /** Back to the question, with the shape where it was. False when nothing is being adjusted. */
  cancel(): boolean {
    if (!this.state.adjusting) return false
    this.ask(this.state.place)
    return true
  }

  /** Back to the question before, undecided again; false at the first. */
  back(): boolean {
    const { step, place } = this.state
    if (this.cancel()) return true
    if (step === 'drawing') {
      this.spend()
      this.found = false
      this.ask(this.total)
      return true
    }
    if (place === 0) return false
    this.spend()
    this.ask(place - 1)
    return true
  }

  /** What is said of the answer, once the questions are through. */
  told(): Verified {
    this.spend()
    const { shapes } = this.editor.snapshot()
    const places = placesIn(shapes)
    const kept = new Set(shapes.filter((shape) => shape.suggested).map(({ id }) => id))
    const drawn = shapes.some((shape) => shape.confirmed && !shape.suggested)
    const objects = Array.from({ length: countIn(this.suggestion) }, (_, place) => {
      const id = place + 1
      return { at: kept.has(id) ? (places.get(id) ?? null) : null, seconds: this.seconds.get(id) ?? 0 }
    })
    const all = [...this.seconds.values(), this.missing, this.drawing]
    return {
      verification: { objects, missing: { found: this.found || drawn, seconds: this.missing }, drawing_seconds: this.drawing },
      seconds: hundredths(all.reduce((sum, each) => sum + each, 0)),
    }
  }

  kept(): KeptQuestions {
    return { place: this.state.place, seconds: [...this.seconds], missing: this.missing, drawing: this.drawing }
  }

  private next(): void {
    this.spend()
    this.ask(this.state.place + 1)
  }

  private ask(place: number): void {
    const shape = this.suggested[place]
    this.editor.allow('none')
    this.change({ step: shape ? 'shape' : 'missing', place, adjusting: false })
    if (shape) {
      const now = this.editor.snapshot().shapes.find(({ id }) => id === shape.id)
      if (!now || now.confirmed) this.editor.restore(shape)
      this.editor.ask(shape)
    } else {
      this.editor.useTool('select')
      this.editor.select(null)
      this.editor.viewport.fitAll()
    }
  }

  /** The seconds since the last answer belong to the present question. */
  private spend(): void {
    const asked = this.suggested[this.state.place]
    if (this.state.step === 'drawing') this.drawing = hundredths(this.drawing + this.lap())
    else if (asked) this.seconds.set(asked.id, hundredths((this.seconds.get(asked.id) ?? 0) + this.lap()))
    else this.missing = hundredths(this.missing + this.lap())
  }

  private change(part: Partial<Asked>): void {
    this.state = { ...this.state, ...part }
    for (const listener of this.listeners) listener()
  }
}

function hundredths(seconds: number): number {
  return Math.round(seconds * 100) / 100
}
