// @vitest-environment jsdom

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, test } from 'vitest'

import type { FilterVocabulary } from '../api/types'
import { FilterInput } from './filter-input'
import { vocabularyQuery } from './queries'

afterEach(cleanup)

const vocabulary = {
  fields: [{ name: 'split', words: '', kind: 'text', operators: ['='], values: ['test', 'train'] }], objects: [], object_fields: [],
} as unknown as FilterVocabulary

function Line() {
  const [text, setText] = useState('')
  return <FilterInput dataset="pets" value={text} onChange={setText} />
}

test('behind a whole filter nothing hides the buttons below, until an arrow asks what may follow', async () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } })
  client.setQueryData(vocabularyQuery('pets').queryKey, vocabulary)
  render(
    <QueryClientProvider client={client}>
      <Line />
    </QueryClientProvider>,
  )
  const user = userEvent.setup()
  const line = screen.getByRole('combobox')
  await user.type(line, 'split = te')
  expect(screen.getByRole('option', { name: 'test' })).toBeDefined()
  await user.keyboard('{Tab}')
  expect(line).toHaveProperty('value', 'split = test ')
  expect(screen.queryByRole('listbox')).toBeNull()
  await user.keyboard('{ArrowDown}')
  expect(screen.getByRole('option', { name: /^and/ })).toBeDefined()
  await user.keyboard('{Enter}')
  expect(line).toHaveProperty('value', 'split = test and ')
  expect(screen.getByRole('listbox')).toBeDefined()
})
