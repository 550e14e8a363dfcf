import { expect, test } from 'vitest'

import { Editor } from '../core/editor'
import { newPreferences } from '../core/editor-preferences'
import { ofSuggestion, toLabel } from '../core/label'
import { Questions } from './questions'

const size = { width: 100, height: 100 }
const suggestion = {
  boxes: [
    { class: 'car', box: [1, 1, 20, 20], score: 0.9 },
    { class: 'bus', box: [30, 30, 60, 60], score: 0.4 },
    { class: 'car', box: [70, 70, 90, 90], score: 0.6 },
  ],
}

function begin(kept?: ReturnType<Questions['kept']>, shapes = ofSuggestion(suggestion, size)) {
  const editor = new Editor(size, shapes, newPreferences('car'))
  let clock = 0
  const questions = new Questions(editor, suggestion, ofSuggestion(suggestion, size), () => {
    const spent = clock
    clock = 0
    return spent
  }, kept)
  const after = (seconds: number, act: () => unknown) => {
    clock += seconds
    act()
  }
  return { editor, questions, after }
}

test('shapes are asked about one by one, least sure first, and what became of each is told in the order of the suggestion', () => {
  const { editor, questions, after } = begin()
  expect(questions.shape()).toMatchObject({ class: 'bus' })
  after(2, () => questions.no())
  expect(questions.shape()).toMatchObject({ id: 3 })
  after(3, () => questions.choose('bus'))
  after(1.5, () => questions.yes())
  expect(questions.snapshot()).toMatchObject({ step: 'missing', place: 3 })
  let through = false
  after(1, () => (through = questions.no()))
  expect(through).toBe(true)
  expect(questions.told()).toEqual({
    verification: {
      objects: [{ at: 0, seconds: 1.5 }, { at: null, seconds: 2 }, { at: 1, seconds: 3 }],
      missing: { found: false, seconds: 1 },
      drawing_seconds: 0,
    },
    seconds: 7.5,
  })
  expect(toLabel(editor.snapshot().shapes).boxes.map((box) => box.class)).toEqual(['car', 'bus'])
})

test('only the asked shape can be moved, and what was moved can be left where it was', () => {
  const { editor, questions } = begin()
  expect(editor.snapshot().changes).toBe('none')
  questions.adjust()
  expect(editor.snapshot()).toMatchObject({ changes: 'selected', selected: [2] })
  editor.nudge({ x: 4, y: 0 }, false)
  expect(questions.shape()).toMatchObject({ corners: [34, 30, 64, 60] })
  questions.cancel()
  expect(questions.shape()).toMatchObject({ corners: [30, 30, 60, 60], confirmed: false })
  questions.adjust()
  editor.nudge({ x: 4, y: 0 }, false)
  questions.yes()
  expect(questions.shape()).toMatchObject({ id: 3 })
  expect(editor.snapshot().changes).toBe('none')
})

test('each step back asks the question before again, with its seconds added up', () => {
  const { questions, after } = begin()
  expect(questions.back()).toBe(false)
  after(2, () => questions.no())
  after(1, () => questions.back())
  expect(questions.shape()).toMatchObject({ id: 2, class: 'bus', confirmed: false })
  after(4, () => questions.yes())
  questions.yes()
  questions.yes()
  expect(questions.told().verification.objects).toEqual([{ at: 0, seconds: 0 }, { at: 1, seconds: 6 }, { at: 2, seconds: 1 }])
})

test('what is missing is drawn in the same image, and undo there goes back to the question', () => {
  const { editor, questions, after } = begin()
  for (let times = 0; times < 3; times += 1) questions.yes()
  after(1, () => questions.yes())
  expect(questions.snapshot().step).toBe('drawing')
  expect([editor.canUndo, editor.snapshot().tool, editor.snapshot().changes]).toEqual([false, 'box', 'all'])
  editor.draw({ kind: 'box', corners: [5, 60, 20, 80] })
  after(7, () => undefined)
  const { verification, seconds } = questions.told()
  expect(verification).toMatchObject({ missing: { found: true, seconds: 1 }, drawing_seconds: 7 })
  expect(verification.objects.map(({ at }) => at)).toEqual([0, 1, 2])
  expect(seconds).toBe(8)
  questions.back()
  expect(questions.snapshot().step).toBe('missing')
})

test('a closed page goes on where it was, and a drawn shape is never taken for a suggested one that was removed', () => {
  const first = begin()
  first.after(2, () => first.questions.yes())
  first.questions.no()
  const kept = JSON.parse(JSON.stringify({ shapes: first.editor.snapshot().shapes, questions: first.questions.kept() })) as { shapes: ReturnType<typeof ofSuggestion>; questions: ReturnType<Questions['kept']> }
  const { editor, questions } = begin(kept.questions, kept.shapes)
  expect(questions.shape()).toMatchObject({ id: 1 })
  questions.yes()
  questions.yes()
  editor.draw({ kind: 'box', corners: [5, 60, 20, 80] })
  expect(editor.snapshot().shapes.map(({ id }) => id)).toEqual([1, 2, 3])
  expect(questions.told().verification.objects).toEqual([{ at: 0, seconds: 0 }, { at: 1, seconds: 2 }, { at: null, seconds: 0 }])
})
