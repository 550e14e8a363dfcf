// @vitest-environment jsdom

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type ReactNode, useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'

import { MoreRows } from '../shared/lists/more-rows'
import { listOptions, useList } from '../shared/lists/pages'
import type { Choice } from '../shared/picking/choices'
import { PickField } from '../shared/picking/pick-field'

afterEach(cleanup)

interface Row {
  name: string
}
const rows: Row[] = Array.from({ length: 120 }, (_, place) => ({ name: `row ${place + 1}` }))
const pageSize = 50

/** A server with 120 rows, which finds them by a part of the name; `asked` is what it was asked for. */
function server() {
  const asked: { q: string; cursor: string | undefined }[] = []
  const source = (q: string) =>
    listOptions<Row>({
      queryKey: ['rows', { q }],
      read: ({ cursor }) => {
        asked.push({ q, cursor })
        const from = Number(cursor ?? 0)
        const fitting = rows.filter(({ name }) => name.includes(q))
        const results = fitting.slice(from, from + pageSize)
        return Promise.resolve({ results, next: from + pageSize < fitting.length ? `http://server/rows?cursor=${from + pageSize}` : null })
      },
    })
  return { asked, source }
}

interface FormProps {
  source: ReturnType<typeof server>['source']
  choices?: (row: Row) => readonly Choice<Row>[]
  begin?: string
  onChange?: (value: string, row: Row | undefined) => void
}

function Form({ source, choices = (row) => [{ value: row.name, row }], begin = '', onChange }: FormProps) {
  const [value, setValue] = useState(begin)
  return (
    <PickField
      label="Row"
      placeholder="choose a row"
      source={source}
      choices={choices}
      value={value}
      onChange={(next, row) => {
        setValue(next)
        onChange?.(next, row)
      }}
    />
  )
}

function open(element: ReactNode): HTMLInputElement {
  render(<QueryClientProvider client={new QueryClient()}>{element}</QueryClientProvider>)
  return screen.getByLabelText<HTMLInputElement>('Row')
}

test('the last of 120 rows is found by its name, on the server, once the typing rests', async () => {
  const { asked, source } = server()
  const onChange = vi.fn()
  const field = open(<Form source={source} onChange={onChange} />)
  expect(asked).toEqual([])
  await userEvent.type(field, 'row 120')
  await userEvent.click(await screen.findByRole('option', { name: 'row 120' }))
  expect(field.value).toBe('row 120')
  expect(onChange).toHaveBeenCalledExactlyOnceWith('row 120', { name: 'row 120' })
  expect(asked.map(({ q }) => q)).toContain('row 120')
  expect(asked.filter(({ q }) => q !== '').length).toBeLessThan('row 120'.length)
})

test('what is chosen is shown though no row of it was read', () => {
  const { asked, source } = server()
  expect(open(<Form source={source} begin="row 119" />).value).toBe('row 119')
  expect(asked).toEqual([])
})

test('arrows, Enter and Escape do what they do in any list; what was typed and not chosen is forgotten', async () => {
  const field = open(<Form source={server().source} />)
  field.focus()
  await userEvent.keyboard('{ArrowDown}')
  expect(field.getAttribute('aria-expanded')).toBe('true')
  await screen.findByRole('option', { name: 'row 2' })
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  expect(document.getElementById(field.getAttribute('aria-activedescendant') ?? '')?.textContent).toBe('row 2')
  await userEvent.keyboard('{Enter}')
  expect([field.value, field.getAttribute('aria-expanded')]).toEqual(['row 2', 'false'])
  await userEvent.type(field, 'nothing like it')
  expect(await screen.findByText('Nothing fits “nothing like it”.')).toBeTruthy()
  await userEvent.keyboard('{Escape}')
  expect([field.value, field.getAttribute('aria-expanded')]).toEqual(['row 2', 'false'])
})

test('a choice that is refused says why and can not be taken', async () => {
  const onChange = vi.fn()
  const field = open(<Form source={server().source} choices={({ name }) => [{ value: name, refusal: name === 'row 1' ? 'has other classes' : null }]} onChange={onChange} />)
  await userEvent.click(field)
  const refused = await screen.findByRole('option', { name: 'row 1 (has other classes)' })
  await userEvent.click(refused)
  expect(onChange).not.toHaveBeenCalled()
  await userEvent.keyboard('{ArrowDown}{Enter}')
  expect(onChange).toHaveBeenCalledExactlyOnceWith('row 2', undefined)
})

test('where few rows of a page fit, further pages are read until enough do', async () => {
  const { asked, source } = server()
  const field = open(<Form source={source} choices={({ name }) => (name.endsWith('20') ? [{ value: name }] : [])} />)
  await userEvent.click(field)
  expect(await screen.findByRole('option', { name: 'row 120' })).toBeTruthy()
  expect(asked.map(({ cursor }) => cursor)).toEqual([undefined, '50', '100'])
})

test('a list of 120 rows is read to its end, page by page', async () => {
  const { asked, source } = server()
  function List() {
    const reading = useList(source(''))
    return (
      <>
        <ol>{reading.rows?.map(({ name }) => <li key={name}>{name}</li>)}</ol>
        <MoreRows noun="rows" reading={reading} />
      </>
    )
  }
  render(<QueryClientProvider client={new QueryClient()}><List /></QueryClientProvider>)
  expect((await screen.findByRole('status')).textContent).toBe('The first 50 are shown.')
  await userEvent.click(screen.getByRole('button', { name: 'Show more rows' }))
  await waitFor(() => expect(screen.getByRole('status').textContent).toBe('The first 100 are shown.'))
  await userEvent.click(screen.getByRole('button', { name: 'Show more rows' }))
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(120))
  expect(screen.queryByRole('button', { name: 'Show more rows' })).toBeNull()
  expect(asked).toHaveLength(3)
})
