import { useEffect, useRef, useState, useSyncExternalStore } from 'react'

import type { TaskFacts } from '../../../shared/api/types'
import { PinLayer } from '../../../shared/comments/pin-layer'
import type { CommentsOfTask } from '../../../shared/comments/use-task-comments'
import { type Adjust, plainAdjust } from './adjust'
import type { Editor } from './core/editor'
import { usePointer } from './input/use-pointer'
import { useSpace } from './input/use-space'
import type { Marks } from './paint/marks'
import { usePainter } from './use-painter'

interface StageProps {
  task: TaskFacts
  editor: Editor
  marks: Marks
  adjust: Adjust
  onAdjust: (adjust: Adjust) => void
  comments: CommentsOfTask
}

const wheelZoom = 0.0015

/** The image, and the two canvases over it. Only the upper one takes the focus and the pointer. */
export function CanvasStage({ task, editor, marks, adjust, onAdjust, comments }: StageProps) {
  const host = useRef<HTMLDivElement>(null)
  const surface = useRef<HTMLDivElement>(null)
  const { image, idle, active } = usePainter(host, editor, marks)
  const pointer = usePointer(editor, useSpace(surface))
  useWheel(host, editor)
  useFocus(surface, editor)
  const { key, width, height } = task.sample
  const changed = adjust.brightness !== 1 || adjust.contrast !== 1
  return (
    <div className="stage canvas-stage">
      <div className="canvas-host" ref={host}>
        <StageImage key={String(task.id)} task={task} reference={image} adjust={adjust} />
        <canvas ref={idle} aria-hidden />
        <div
          ref={surface}
          className="canvas-surface"
          // It has no role of a control, yet takes the focus: its keys are the workspace's, and Tab leaves it.
          // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          role="application"
          aria-label={`Drawing on ${key}`}
          aria-describedby="canvas-help"
          {...pointer}
        >
          <canvas ref={active} aria-hidden />
        </div>
        <CanvasPins editor={editor} comments={comments} />
      </div>
      <div className="stage-facts">
        <span className="cut mono">{key}</span>
        <span>
          {width ?? '?'} × {height ?? '?'} px
        </span>
        {changed && (
          <button type="button" className="stage-reset" onClick={() => onAdjust(plainAdjust)}>
            Brightness {adjust.brightness} · contrast {adjust.contrast}: reset
          </button>
        )}
      </div>
      <p id="canvas-help" className="visually-hidden">
        R, then Enter, begins a box at the crosshair; arrows move it, with Shift further; Enter ends it. After P, each Enter sets a
        corner of a polygon, and a second one in the same place closes it. J and K go through the shapes, with Shift they add to the selection;
        after V, arrows move what is selected. All shapes are also in the list, with their numbers to edit. Tab leaves the drawing.
      </p>
    </div>
  )
}

/** They move with the image, which is painted without React. */
function CanvasPins({ editor, comments }: Pick<StageProps, 'editor' | 'comments'>) {
  const { scale, x, y } = useSyncExternalStore(editor.subscribe, () => editor.snapshot().view)
  const { width, height } = editor.size
  return <PinLayer of={comments} style={{ left: x, top: y, width: width * scale, height: height * scale }} />
}

interface StageImageProps {
  task: TaskFacts
  reference: { current: HTMLImageElement | null }
  adjust: Adjust
}

const retryAfter = 2_000

/** The image in its own pixels, which the painter scales. One that failed to load is asked for again: the server may only be restarting. */
function StageImage({ task, reference, adjust }: StageImageProps) {
  const [failed, setFailed] = useState(false)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    if (!failed) return
    const timer = setTimeout(() => setAttempt(attempt + 1), retryAfter)
    return () => clearTimeout(timer)
  }, [failed, attempt])
  const { width, height, key } = task.sample
  return (
    <>
      <img
        key={attempt}
        ref={reference}
        src={task.url}
        alt={`Sample ${key}`}
        width={width ?? undefined}
        height={height ?? undefined}
        decoding="sync"
        draggable={false}
        style={{ filter: `brightness(${adjust.brightness}) contrast(${adjust.contrast})`, visibility: failed ? 'hidden' : 'visible' }}
        onError={() => setFailed(true)}
        onLoad={() => setFailed(false)}
      />
      {failed && (
        <p className="stage-failed" role="alert">
          This image could not be loaded; trying again. Skip it (S) if it does not appear.
        </p>
      )}
    </>
  )
}

/** The wheel zooms at the cursor. React's own wheel listeners may not stop the page from scrolling. */
function useWheel(host: { current: HTMLElement | null }, editor: Editor): void {
  useEffect(() => {
    const element = host.current
    if (!element) return
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const box = element.getBoundingClientRect()
      editor.viewport.zoom(Math.exp(-event.deltaY * wheelZoom), { x: event.clientX - box.left, y: event.clientY - box.top })
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    return () => element.removeEventListener('wheel', onWheel)
  }, [host, editor])
}

/** A new image takes the focus where nothing else has it, so that the keys act at once. */
function useFocus(surface: { current: HTMLElement | null }, editor: Editor): void {
  useEffect(() => {
    const focused = document.activeElement
    if (focused === null || focused === document.body) surface.current?.focus({ preventScroll: true })
  }, [surface, editor])
}
