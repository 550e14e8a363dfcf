// @vitest-environment jsdom

import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'

import type { Feeding } from '../shared/api/types'
import { aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const feeding: Feeding = {
  facts: [
    { name: 'size', words: '20 high, 24 wide' },
    { name: 'filter, shrinking', words: 'area: the mean' },
  ],
  python: 'import sys\n\nprint(sys.argv)\n',
  cpp: 'int main() {\n  return 0;\n}\n',
}

function serveVersion(told: Feeding | null) {
  answer('get', '/models/pets-cnn', aModel())
  answer('get', '/models/pets-cnn/versions/1', {
    model: 'pets-cnn', version: 1, architecture: 'small_cnn', digest: 'ab'.repeat(32), dataset: null, dataset_version: null, run: null, aliases: [], metrics: {},
    size: 1_000, tensorrt: 'not verified', precisions: [], warnings: [], notes: '', created: '2026-11-01T12:00:00Z', slices: null, gates: [],
    lineage: { dataset: null, dataset_version: null, run: null, cloned_from: null, parent: null, made_from: [], children: [], hidden: 0 }, report: {}, feeding: told, lock: {}, artifacts: [], promotions: [],
  })
}

test('a version says how its file wants its images, with programs to copy', async () => {
  serveVersion(feeding)
  const user = userEvent.setup()
  openApp('/models/pets-cnn/1')
  const panel = within(await screen.findByRole('region', { name: 'How to feed this file' }))
  expect(panel.getByText('filter, shrinking').nextElementSibling?.textContent).toBe('area: the mean')
  expect(panel.getByText('size').nextElementSibling?.textContent).toBe('20 high, 24 wide')

  await user.click(panel.getByText('Python, with NumPy, ONNX Runtime and Pillow'))
  await user.click(panel.getByLabelText('Copy Python program'))
  expect(await navigator.clipboard.readText()).toBe(feeding.python)
  await user.click(panel.getByText('C++, with OpenCV and ONNX Runtime'))
  expect(panel.getByLabelText('C++ program').textContent).toBe(feeding.cpp)
  await user.click(panel.getByLabelText('Copy C++ program'))
  expect(await navigator.clipboard.readText()).toBe(feeding.cpp)
})

test('a version from before that was recorded has no such part', async () => {
  serveVersion(null)
  openApp('/models/pets-cnn/1')
  await screen.findByText(/This version was not evaluated/)
  expect(screen.queryByText('How to feed this file')).toBeNull()
})
