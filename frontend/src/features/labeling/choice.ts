import type { LabelSession, LabelSessionQueue } from './label-session'
import { isAnswered, placeOf, type LeasedTask } from './leased-task'
import { isClass, namedClasses, classSuggestion, suggestedClasses } from './values'

/**
 * What is being said of the image on the stage. With one class per image a key is the whole answer; with several, keys tick
 * and untick until they are submitted. Holds no React and no DOM.
 */
export class Choice {
  private draft: { place: string; classes: readonly string[] } | null = null
  private version = 0
  private readonly listeners = new Set<() => void>()

  constructor(
    private readonly session: LabelSession,
    private readonly queue: LabelSessionQueue,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Changes with every tick; the ticks themselves depend on what the session shows. */
  readonly snapshot = (): number => this.version

  /** The ticked classes; null while nothing was said of the image, so that suggestions are still only suggestions. */
  ticked(): readonly string[] | null {
    const shown = this.session.shown()
    if (!shown) return null
    if (this.draft?.place === placeOf(shown)) return this.draft.classes
    return isAnswered(shown) && shown.chosen !== null ? namedClasses(shown.chosen) : null
  }

  /** One class: the answer. Several: the first tick starts from what the model suggests, so that correcting costs one key. */
  readonly choose = (name: string): void => {
    if (!this.queue.classes.includes(name)) return
    if (!this.several) {
      this.session.say({ class: name })
      return
    }
    const shown = this.session.shown()
    if (!shown) return
    const before = this.ticked() ?? this.suggested()
    const after = before.includes(name) ? before.filter((each) => each !== name) : [...before, name]
    this.tick(shown, after)
  }

  /** Submits the ticks, or agrees with the model. False when there is nothing to submit. */
  readonly submit = (): boolean => {
    const shown = this.session.shown()
    const ticked = this.several ? this.ticked() : null
    if (ticked !== null) this.session.say({ classes: this.queue.classes.filter((name) => ticked.includes(name)) })
    else if (shown?.task.suggestion) this.session.acceptSuggestion()
    else return false
    return true
  }

  /** Takes back the last answer; several classes stay ticked, to be corrected. */
  readonly undo = (): void => {
    const last = this.session.snapshot().past.at(-1)
    void this.session.undo()
    const shown = this.session.shown()
    if (this.several && shown && last?.chosen) this.tick(shown, namedClasses(last.chosen))
  }

  /** Several: no class applies, to be submitted. One of two: the class that is not suggested. */
  readonly clear = (): boolean => {
    const shown = this.session.shown()
    if (!shown) return false
    if (this.several) {
      this.tick(shown, [])
      return true
    }
    const suggestion = classSuggestion(shown.task)
    const suggested = suggestion ? suggestedClasses(suggestion)[0] : undefined
    const others = this.queue.classes.filter((name) => name !== suggested)
    const other = others[0]
    if (suggested === undefined || other === undefined || others.length > 1) return false
    this.session.say({ class: other })
    return true
  }

  private get several(): boolean {
    return this.queue.several ?? false
  }

  private suggested(): readonly string[] {
    const shown = this.session.shown()
    if (shown && isAnswered(shown) && shown.chosen && !isClass(shown.chosen)) return namedClasses(shown.chosen)
    const suggestion = shown ? classSuggestion(shown.task) : null
    return suggestion ? suggestedClasses(suggestion) : []
  }

  private tick(leasedTask: LeasedTask, classes: readonly string[]): void {
    this.draft = { place: placeOf(leasedTask), classes }
    this.version += 1
    for (const listener of this.listeners) listener()
  }
}
