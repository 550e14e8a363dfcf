// @vitest-environment jsdom

import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, beforeAll, expect, test } from 'vitest'

import { Dialog, loadDialogs } from './dialog'

// However long it takes to read what dialogs are made of: a key comes at once.
beforeAll(loadDialogs)
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

function Opener() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Add a class
      </button>
      {open && <Dialog onClose={() => setOpen(false)} title="Add"><input aria-label="Name" /></Dialog>}
    </>
  )
}

test('closed, it gives the focus back to what opened it', async () => {
  render(<Opener />)
  const opener = screen.getByRole('button', { name: 'Add a class' })
  await userEvent.click(opener)
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  await waitFor(() => expect(document.activeElement).toBe(opener))
})
