// @vitest-environment jsdom

import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'

import { Dialog } from './dialog'

afterEach(cleanup)

function close(): void {
  throw new Error('nothing closes it here')
}

test('a dialog that was asked for has the focus in its first field', async () => {
  render(<Dialog onClose={close} title="Add"><input aria-label="Name" /></Dialog>)
  await userEvent.keyboard('7')
  expect(screen.getByLabelText<HTMLInputElement>('Name').value).toBe('7')
})

test('one that opens by itself takes no keys that were meant for the page', async () => {
  render(<Dialog unasked onClose={close} title="Sign in again"><input aria-label="Token" /></Dialog>)
  await userEvent.keyboard('7s')
  expect(screen.getByLabelText<HTMLInputElement>('Token').value).toBe('')
  expect(document.activeElement).toBe(screen.getByRole('dialog'))
})
