// @vitest-environment jsdom

import { cleanup, render, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'

import { usePageTitle } from './page-title'

afterEach(cleanup)

function Page({ heading, open }: { heading: string | null; open?: string }) {
  usePageTitle()
  return (
    <header>
      {heading !== null && <h1>{heading}</h1>}
      {open && (
        <nav className="tabs">
          <a href="/items">Items</a>
          <a href="/open" aria-current="page">
            {open}
          </a>
        </nav>
      )}
    </header>
  )
}

test('the title follows the heading and the part that is open', async () => {
  const { rerender } = render(<Page heading={null} />)
  expect(document.title).toBe('Motherlode')
  rerender(<Page heading="Datasets" />)
  await waitFor(() => expect(document.title).toBe('Datasets · Motherlode'))
  rerender(<Page heading="digits" open="Versions" />)
  await waitFor(() => expect(document.title).toBe('digits: Versions · Motherlode'))
  rerender(<Page heading="Sign in to Motherlode" />)
  await waitFor(() => expect(document.title).toBe('Sign in to Motherlode'))
})
