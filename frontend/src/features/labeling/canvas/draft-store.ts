import type { Editor } from './core/editor'
import type { Shape } from './core/shapes'

const prefix = 'motherlode.canvas.'
const waitMs = 400
const longest = 14 * 24 * 3_600_000

interface Kept {
  at: number
  shapes: readonly Shape[]
}

/** Places that were answered: what still waits to be written of them must not come back. */
const answered = new Set<string>()

/** Shapes that were drawn in this place on this computer and never submitted; null when there are none. */
export function keptShapes(place: string): readonly Shape[] | null {
  return read(prefix + place)?.shapes ?? null
}

export function putShapes(place: string, shapes: readonly Shape[]): void {
  try {
    localStorage.setItem(prefix + place, JSON.stringify({ at: Date.now(), shapes } satisfies Kept))
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
export function keepShapes(place: string, editor: Editor): () => void {
  answered.delete(place)
  let seen = editor.snapshot().shapes
  let timer: ReturnType<typeof setTimeout> | null = null
  const write = () => {
    if (timer !== null) clearTimeout(timer)
    if (timer !== null && !answered.has(place)) putShapes(place, seen)
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
