// @vitest-environment jsdom

import { afterEach, expect, test, vi } from 'vitest'

import { Editor } from './core/editor'
import { newPreferences } from './core/editor-preferences'
import { forgetOld, forgetShapes, keepShapes, keptDrawing, putDrawing } from './draft-store'

afterEach(() => {
  vi.useRealTimers()
  localStorage.clear()
})

function drawn() {
  const editor = new Editor({ width: 100, height: 100 }, [], newPreferences('nut'))
  const stop = keepShapes('7.now', editor)
  editor.draw({ kind: 'box', corners: [1, 2, 30, 40] })
  return { editor, stop }
}

test('what was drawn is there after the page was closed in the middle', () => {
  const { stop } = drawn()
  window.dispatchEvent(new Event('pagehide'))
  expect(keptDrawing('7.now')?.shapes).toMatchObject([{ corners: [1, 2, 30, 40], class: 'nut' }])
  stop()
})

test('once answered it does not come back, even what was still to be written', () => {
  const { stop } = drawn()
  forgetShapes('7.now')
  stop()
  expect(keptDrawing('7.now')).toBeNull()
})

test('it is written a moment after the last stroke, and forgotten after weeks', () => {
  vi.useFakeTimers()
  const { stop } = drawn()
  vi.advanceTimersByTime(1_000)
  expect(keptDrawing('7.now')?.shapes).toHaveLength(1)
  vi.setSystemTime(Date.now() + 20 * 24 * 3_600_000)
  forgetOld()
  expect(keptDrawing('7.now')).toBeNull()
  stop()
})

test('a broken entry is not an entry', () => {
  putDrawing('8.now', { shapes: [] })
  localStorage.setItem('motherlode.canvas.8.now', '{')
  expect(keptDrawing('8.now')).toBeNull()
})
