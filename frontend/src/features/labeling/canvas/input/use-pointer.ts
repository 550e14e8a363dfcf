import { type MouseEvent, type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useState } from 'react'

import type { Editor } from '../core/editor'
import type { Point } from '../core/geometry'
import { FingerControl } from '../core/input/fingers'
import { PointerControl } from '../core/input/pointer'
import { pointerForm } from './pointer-form'

const middleButton = 1
const holdMs = 500

interface Controls {
  editor: Editor
  pointer: PointerControl
  fingers: FingerControl
  /** Runs while a finger rests where it came down. */
  hold: ReturnType<typeof setTimeout> | undefined
}

type Handler = (event: ReactPointerEvent<HTMLElement>) => void

interface PointerHandlers extends Record<'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel', Handler> {
  onContextMenu: (event: MouseEvent<HTMLElement>) => void
}

/** What the mouse, the pen and fingers do on the stage. */
export function usePointer(editor: Editor, space: RefObject<boolean>): PointerHandlers {
  const [controls, setControls] = useState(() => controlsOf(editor))
  if (controls.editor !== editor) setControls(controlsOf(editor))
  useEffect(() => () => clearTimeout(controls.hold), [controls])
  const { pointer, fingers } = controls
  return {
    onPointerDown: (event) => {
      if (event.button > middleButton) return
      event.currentTarget.setPointerCapture(event.pointerId)
      const pan = space.current || event.button === middleButton
      const held = { pan, alt: event.altKey, adds: event.shiftKey, finger: isFinger(event) }
      clearTimeout(controls.hold)
      if (!held.finger) {
        pointer.down(place(event), held)
        return
      }
      fingers.press(event.pointerId, place(event), held)
      controls.hold = setTimeout(() => pointer.hold(), holdMs)
    },
    onPointerMove: (event) => {
      if (isFinger(event)) fingers.move(event.pointerId, place(event))
      else {
        pointer.move(place(event))
        event.currentTarget.style.cursor = pointerForm(editor, pointer, place(event), space.current)
      }
    },
    onPointerUp: (event) => {
      clearTimeout(controls.hold)
      if (isFinger(event)) fingers.lift(event.pointerId, place(event))
      else pointer.up(place(event))
    },
    onPointerCancel: (event) => {
      clearTimeout(controls.hold)
      if (isFinger(event)) fingers.cancel(event.pointerId)
      else pointer.cancel()
    },
    // A long press adds to the selection; the browser's menu would cover the image.
    onContextMenu: (event) => {
      if (fingers.touching) event.preventDefault()
    },
  }
}

function controlsOf(editor: Editor): Controls {
  const pointer = new PointerControl(editor)
  return { editor, pointer, fingers: new FingerControl(editor, pointer), hold: undefined }
}

function isFinger(event: ReactPointerEvent): boolean {
  return event.pointerType === 'touch'
}

function place(event: ReactPointerEvent): Point {
  const box = event.currentTarget.getBoundingClientRect()
  return { x: event.clientX - box.left, y: event.clientY - box.top }
}
