import type { Editor } from './core/editor'
import type { Shape } from './core/shapes'
import type { KeptQuestions } from './verify/questions'

const prefix = 'motherlode.canvas.'
const waitMs = 400
const longest = 14 * 24 * 3_600_000

/** What stands in a place: its shapes and, where they are verified, how far the questions are. */
export interface Drawn {
  shapes: readonly Shape[]
  questions?: KeptQuestions
}

interface Kept extends Drawn {
  at: number
}

/** Places that were answered: what still waits to be written of them must not come back. */
const answered = new Set<string>()

/** What was drawn in this place on this computer and never submitted; null when there is nothing. */
export function keptDrawing(place: string): Drawn | null {
  return read(prefix + place)
}

export function putDrawing(place: string, drawn: Drawn): void {
  try {
    localStorage.setItem(prefix + place, JSON.stringify({ ...drawn, at: Date.now() } satisfies Kept))
  } catch {
    // The computer's room is full: what was drawn longest ago gives way.
    forgetOld(0)
  }
}

/** Called once a place has been answered. */
export function forgetShapes(place: string): void {
  answered.add(place)
  localStorage.removeItem(prefix + place)
}

/** Drawings that nobody came back to. */
export function forgetOld(keepMs = longest): void {
  for (const key of Object.keys(localStorage).filter((each) => each.startsWith(prefix))) {
    if (Date.now() - (read(key)?.at ?? 0) >= keepMs) localStorage.removeItem(key)
  }
}

/** Keeps what is drawn until it is submitted, so that a closed page loses nothing; the answer stops it and writes what is left. */
export function keepShapes(place: string, editor: Editor, questions?: { kept: () => KeptQuestions }): () => void {
  answered.delete(place)
  let seen = editor.snapshot().shapes
  let timer: ReturnType<typeof setTimeout> | null = null
  const write = () => {
    if (timer !== null) clearTimeout(timer)
    if (timer !== null && !answered.has(place)) putDrawing(place, { shapes: seen, ...(questions && { questions: questions.kept() }) })
    timer = null
  }
  const stop = editor.subscribe(() => {
    const { shapes } = editor.snapshot()
    if (shapes === seen) return
    seen = shapes
    timer ??= setTimeout(write, waitMs)
  })
  window.addEventListener('pagehide', write)
  return () => {
    stop()
    write()
    window.removeEventListener('pagehide', write)
  }
}

function read(key: string): Kept | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as Kept | null
  } catch {
    return null
  }
}
