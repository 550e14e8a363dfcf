import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'

async function opened(field: HTMLElement) {
  if (field.getAttribute('aria-expanded') !== 'true') await userEvent.click(field)
  return within(await screen.findByRole('listbox', { name: 'Choices' }))
}

/** Takes a choice of a field that searches a list. */
export async function choose(field: HTMLElement, words: string | RegExp): Promise<void> {
  const list = await opened(field)
  await userEvent.click(await list.findByRole('option', { name: words }))
}

/** What such a field offers: the words, with a minus before what can't be chosen. */
export async function choicesOf(field: HTMLElement): Promise<string[]> {
  const list = await opened(field)
  await waitFor(() => {
    if (screen.queryByText('Searching…')) throw new Error('still searching')
  })
  const options = list.queryAllByRole('option').map((option) => `${option.getAttribute('aria-disabled') === 'true' ? '-' : ''}${option.textContent}`)
  await userEvent.keyboard('{Escape}')
  return options
}
