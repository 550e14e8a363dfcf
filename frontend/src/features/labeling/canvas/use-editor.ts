import { useMemo, useState, useSyncExternalStore } from 'react'

import { type AnsweredTask, placeOf, type LeasedTask, isAnswered } from '../leased-task'
import { keptDrawing } from './draft-store'
import { Editor } from './core/editor'
import type { EditorState } from './core/editor-state'
import type { Size } from './core/geometry'
import { ofLabel, ofSuggestion } from './core/label'
import type { Shape } from './core/shapes'
import type { EditorPreferences } from './core/editor-preferences'

/** What the panels show: everything but what changes while the pointer moves. */
export type DocumentState = Omit<EditorState, 'live' | 'marquee' | 'cursor' | 'pointed' | 'view' | 'draft' | 'changes'> & { drawing: boolean; canUndo: boolean; canRedo: boolean }

/** An image whose size nobody measured is taken to be this large. */
const unmeasured: Size = { width: 640, height: 480 }

export function sizeOf({ task }: LeasedTask): Size {
  const { width, height } = task.sample
  return { width: width ?? unmeasured.width, height: height ?? unmeasured.height }
}

/** An editor for the image on the stage; another one as soon as another image stands there. */
export function useEditor(leasedTask: LeasedTask | AnsweredTask, preferences: EditorPreferences): Editor {
  const place = placeOf(leasedTask)
  const [held, setHeld] = useState(() => ({ place, editor: editorOf(leasedTask, preferences) }))
  if (held.place === place) return held.editor
  const next = { place, editor: editorOf(leasedTask, preferences) }
  setHeld(next)
  return next.editor
}

function editorOf(leasedTask: LeasedTask | AnsweredTask, preferences: EditorPreferences): Editor {
  return new Editor(sizeOf(leasedTask), shapesOf(leasedTask), preferences)
}

/** What was drawn here and not yet submitted, else what was answered, else what the model suggests. */
function shapesOf(leasedTask: LeasedTask | AnsweredTask): readonly Shape[] {
  const kept = keptDrawing(placeOf(leasedTask))
  if (kept) return kept.shapes
  if (isAnswered(leasedTask) && leasedTask.chosen !== null) return ofLabel(leasedTask.chosen, sizeOf(leasedTask))
  return ofSuggestion(leasedTask.task.suggestion, sizeOf(leasedTask))
}

export function useDocument(editor: Editor): DocumentState {
  const snapshot = useMemo(() => documentOf(editor), [editor])
  return useSyncExternalStore(editor.subscribe, snapshot)
}

/** A snapshot that stays the same object until one of its own parts changes. */
function documentOf(editor: Editor): () => DocumentState {
  let last: DocumentState | null = null
  return () => {
    const { shapes, selected, vertex, tool, nextClass, draft, refusal, several, hidden, hiddenShapes, names } = editor.snapshot()
    const { canUndo, canRedo } = editor
    const fresh = { shapes, selected, vertex, tool, nextClass, drawing: draft !== null, refusal, several, hidden, hiddenShapes, names, canUndo, canRedo }
    if (last === null || (Object.keys(fresh) as (keyof DocumentState)[]).some((name) => last?.[name] !== fresh[name])) last = fresh
    return last
  }
}
