import { useMemo, useState, useSyncExternalStore } from 'react'

import { type Past, placeOf, type Seat, isPast } from '../desk'
import { keptShapes } from './draft-store'
import { Editor, type EditorState } from './core/editor'
import type { Size } from './core/geometry'
import { ofLabel, ofSuggestion } from './core/label'
import type { Shape } from './core/shapes'
import type { Tray } from './core/tray'

/** What the panels show: everything but what changes while the pointer moves. */
export type DocumentState = Omit<EditorState, 'live' | 'cursor' | 'view' | 'draft'> & { drawing: boolean; canUndo: boolean; canRedo: boolean }

/** An image whose size nobody measured is taken to be this large. */
const unmeasured: Size = { width: 640, height: 480 }

export function sizeOf({ task }: Seat): Size {
  const { width, height } = task.sample
  return { width: width ?? unmeasured.width, height: height ?? unmeasured.height }
}

/** An editor for the image on the stage; another one as soon as another image stands there. */
export function useEditor(seat: Seat | Past, tray: Tray): Editor {
  const place = placeOf(seat)
  const [held, setHeld] = useState(() => ({ place, editor: editorOf(seat, tray) }))
  if (held.place === place) return held.editor
  const next = { place, editor: editorOf(seat, tray) }
  setHeld(next)
  return next.editor
}

function editorOf(seat: Seat | Past, tray: Tray): Editor {
  return new Editor(sizeOf(seat), shapesOf(seat), tray)
}

/** What was drawn here and not yet submitted, else what was answered, else what the model suggests. */
function shapesOf(seat: Seat | Past): readonly Shape[] {
  const kept = keptShapes(placeOf(seat))
  if (kept) return kept
  if (isPast(seat) && seat.chosen !== null) return ofLabel(seat.chosen, sizeOf(seat))
  return ofSuggestion(seat.task.suggestion, sizeOf(seat))
}

export function useDocument(editor: Editor): DocumentState {
  const snapshot = useMemo(() => documentOf(editor), [editor])
  return useSyncExternalStore(editor.subscribe, snapshot)
}

/** A snapshot that stays the same object until one of its own parts changes. */
function documentOf(editor: Editor): () => DocumentState {
  let last: DocumentState | null = null
  return () => {
    const { shapes, selected, vertex, tool, nextClass, draft, refusal, hidden, names } = editor.snapshot()
    const { canUndo, canRedo } = editor
    const fresh = { shapes, selected, vertex, tool, nextClass, drawing: draft !== null, refusal, hidden, names, canUndo, canRedo }
    if (last === null || (Object.keys(fresh) as (keyof DocumentState)[]).some((name) => last?.[name] !== fresh[name])) last = fresh
    return last
  }
}
