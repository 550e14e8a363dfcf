// @vitest-environment jsdom

import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, beforeEach, expect, test } from 'vitest'

import type { SchemaWithHistory } from '../shared/classes/types'
import { aDataset, aModel, aSchema } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const names = ['bolt', 'nut']
const address = '/datasets/fasteners/schema'

function schema(version: number, part: Partial<SchemaWithHistory> = {}): SchemaWithHistory {
  return { ...aSchema(names), version, history: [{ version, created: '2026-11-01T12:00:00Z', author: 'rita', message: '' }], ...part }
}

beforeEach(() => {
  answer('get', '/datasets/fasteners', aDataset({ name: 'fasteners', classes: names }))
  answer('get', address, schema(1))
})

async function add(name: string): Promise<void> {
  await userEvent.type(await screen.findByLabelText('Name of a new class'), `${name}{Enter}`)
}

test('a class is added by keyboard, and what somebody else saved meanwhile stays', async () => {
  openApp('/datasets/fasteners/classes')
  await add('Nut')
  expect(screen.getByRole('alert').textContent).toContain('“nut” exists already')
  await userEvent.clear(screen.getByLabelText('Name of a new class'))
  await add('washer')
  await screen.findByText('1 unsaved change')

  const theirs = aSchema(names).classes.map((each) => (each.name === 'bolt' ? { ...each, guideline: 'Has a head.' } : each))
  const sent = receive('put', address, ({ body }) => {
    const { parent } = body as { parent: number }
    return parent === 2 ? HttpResponse.json(schema(3)) : refusal({ status: 409, code: 'schema_overtaken', detail: 'There is a newer version.' })
  })
  answer('get', address, schema(2, { classes: theirs }))
  await userEvent.type(screen.getByLabelText('Why'), 'washers came up{Enter}')
  expect((await screen.findByText('bolt: guideline changed')).closest('[role=alert]')).not.toBeNull()
  await userEvent.click(screen.getByRole('button', { name: /^Apply my changes/ }))
  await userEvent.click(await screen.findByRole('button', { name: 'Save as version 3' }))
  await screen.findByText('Saved as version 3 of the schema')
  expect(sent.at(-1)).toMatchObject({
    parent: 2,
    message: 'washers came up',
    classes: [{ name: 'bolt', key: '1', guideline: 'Has a head.' }, { name: 'nut', key: '2' }, { name: 'washer', key: '3' }],
  })
})

test('who changes classes is told what stops, and is asked no more once they are saved', async () => {
  list('/models', [aModel({ name: 'sorter', classes: names })])
  list('/datasets/fasteners/versions', [])
  receive('put', address, () => HttpResponse.json(schema(2)))
  openApp('/datasets/fasteners/classes')
  await add('tooth')
  const bar = await screen.findByRole('region', { name: 'Save' })
  await waitFor(() => expect(bar.textContent).toContain('1 model fits this dataset no more (sorter)'))
  await userEvent.click(screen.getByRole('link', { name: 'Versions' }))
  await userEvent.click(within(await screen.findByRole('dialog', { name: 'Leave without saving?' })).getByRole('button', { name: 'Stay' }))
  await userEvent.click(screen.getByRole('button', { name: 'Save as version 2' }))
  await screen.findByText('Saved as version 2 of the schema')
  await userEvent.click(screen.getByRole('link', { name: 'Versions' }))
  await waitFor(() => expect(document.title).toBe('fasteners: Versions · Motherlode'))
})
