import { type MouseEvent, type PointerEvent as ReactPointerEvent, type RefObject, useEffect, useRef, useState } from 'react'

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
}

type Handler = (event: ReactPointerEvent<HTMLElement>) => void

interface PointerHandlers extends Record<'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel', Handler> {
  onContextMenu: (event: MouseEvent<HTMLElement>) => void
}

/** What the mouse, the pen and fingers do on the stage. */
export function usePointer(editor: Editor, space: RefObject<boolean>): PointerHandlers {
  const [controls, setControls] = useState(() => controlsOf(editor))
  if (controls.editor !== editor) setControls(controlsOf(editor))
  /** Runs while a finger rests where it came down. */
  const hold = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(hold.current), [controls])
  const { pointer, fingers } = controls
  return {
    onPointerDown: (event) => {
      if (event.button > middleButton) return
      event.currentTarget.setPointerCapture(event.pointerId)
      const pan = space.current || event.button === middleButton
      const held = { pan, alt: event.altKey, adds: event.shiftKey, finger: isFinger(event) }
      clearTimeout(hold.current)
      if (!held.finger) {
        pointer.down(place(event), held)
        return
      }
      fingers.press(event.pointerId, place(event), held)
      hold.current = setTimeout(() => pointer.hold(), holdMs)
    },
    onPointerMove: (event) => {
      if (isFinger(event)) fingers.move(event.pointerId, place(event))
      else {
        pointer.move(place(event))
        event.currentTarget.style.cursor = pointerForm(editor, pointer, place(event), space.current)
      }
    },
    onPointerUp: (event) => {
      clearTimeout(hold.current)
      if (isFinger(event)) fingers.lift(event.pointerId, place(event))
      else pointer.up(place(event))
    },
    onPointerCancel: (event) => {
      clearTimeout(hold.current)
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
  return { editor, pointer, fingers: new FingerControl(editor, pointer) }
}

function isFinger(event: ReactPointerEvent): boolean {
  return event.pointerType === 'touch'
}

function place(event: ReactPointerEvent): Point {
  const box = event.currentTarget.getBoundingClientRect()
  return { x: event.clientX - box.left, y: event.clientY - box.top }
}
