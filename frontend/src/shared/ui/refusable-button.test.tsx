// @vitest-environment jsdom

import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'

import { RefusableButton } from './refusable-button'
import { currentToasts, dismiss } from './toast-store'

afterEach(() => {
  cleanup()
  for (const { id } of currentToasts()) dismiss(id)
})

test('a button that is refused is reached by keys, describes why, and shows it when it is pressed', async () => {
  const press = vi.fn()
  const { rerender } = render(
    <RefusableButton refusal="Joining needs two versions." onClick={press}>
      Join…
    </RefusableButton>,
  )
  await userEvent.tab()
  const button = screen.getByRole('button', { name: 'Join…', description: 'Joining needs two versions.' })
  expect(document.activeElement).toBe(button)
  await userEvent.keyboard('{Enter}')
  expect(press).not.toHaveBeenCalled()
  expect(currentToasts().map(({ text }) => text)).toEqual(['Joining needs two versions.'])
  rerender(
    <RefusableButton refusal={null} title="Makes one file of several" onClick={press}>
      Join…
    </RefusableButton>,
  )
  expect(document.activeElement).toBe(button)
  expect(button.title).toBe('Makes one file of several')
  await userEvent.keyboard('{Enter}')
  expect(press).toHaveBeenCalledOnce()
})
