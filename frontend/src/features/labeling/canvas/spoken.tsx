import { useSyncExternalStore } from 'react'

import type { Editor } from './core/editor'
import { crosshairWords } from './core/crosshair-words'
import { members } from './core/selection'
import { extent } from './core/shapes'
import { countsWords } from './selection-panel'
import { shapesWords } from './side-panel'
import type { DocumentState } from './use-editor'

/** What a screen reader hears of the drawing as it changes. */
export function Spoken({ editor, state }: { editor: Editor; state: DocumentState }) {
  return (
    <p className="visually-hidden" role="status">
      {state.several && 'Selecting several. '}
      {state.tool !== 'select' && `Tool: ${state.tool}${state.drawing ? ', drawing' : ''}. `}
      {shapesWords(state.shapes.length, state.shapes.filter((shape) => !shape.confirmed).length)}. {selectedWords(editor, state)}
    </p>
  )
}

/** Where the crosshair is, apart from the rest, which would else be read again at each step of an arrow key. */
export function SpokenCrosshair({ editor }: { editor: Editor }) {
  const words = useSyncExternalStore(editor.subscribe, () => crosshairWords(editor.snapshot()))
  return (
    <p className="visually-hidden" role="status">
      {words}
    </p>
  )
}

function selectedWords(editor: Editor, state: DocumentState): string {
  const [shape, ...others] = members(state.selected, state.shapes)
  if (shape && others.length > 0) return `${others.length + 1} shapes selected: ${countsWords([shape, ...others])}.`
  if (!shape) return `Next class: ${editor.snapshot().nextClass}.`
  const [x1, y1, x2, y2] = extent(shape).map(Math.round) as [number, number, number, number]
  const suggested = shape.score === null ? 'not confirmed' : `suggested, ${shape.score.toFixed(2)}`
  const sure = shape.confirmed ? 'confirmed' : suggested
  return `Selected: ${shape.class}, ${sure}, from ${x1}, ${y1} to ${x2}, ${y2}.`
}
