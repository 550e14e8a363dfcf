// @vitest-environment jsdom

import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'

import { SecretDialog } from './secret-dialog'

afterEach(cleanup)

test('a secret that is shown once goes only when somebody says that they have copied it', async () => {
  const onClose = vi.fn()
  render(<SecretDialog title="New token" of={null} secret="ml_secret" onClose={onClose} />)
  await userEvent.keyboard('{Escape}')
  const veil = document.querySelector('.veil')
  if (veil) await userEvent.setup({ pointerEventsCheck: 0 }).click(veil)
  expect(screen.queryByRole('button', { name: 'Close' })).toBeNull()
  expect(onClose).not.toHaveBeenCalled()
  await userEvent.click(screen.getByRole('button', { name: 'Done', description: 'Copy it first and say so above: it is not shown again.' }))
  expect(onClose).not.toHaveBeenCalled()
  const leaving = new Event('beforeunload', { cancelable: true })
  window.dispatchEvent(leaving)
  expect(leaving.defaultPrevented).toBe(true)
  await userEvent.click(screen.getByLabelText('I have copied it'))
  await userEvent.click(screen.getByRole('button', { name: 'Done' }))
  expect(onClose).toHaveBeenCalledOnce()
})
