// @vitest-environment jsdom

import { cleanup, screen } from '@testing-library/react'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import type { Diff, Version } from '../shared/api/types'
import { choose } from './testing/choose'
import { aDataset } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const same: Diff = {
  from: 2, to: 2, counts: { relabelled: 0 }, by_class: {}, by_split: {},
  added: '', removed: '', changed: '', relabelled: '', boxes_moved: '', attributes_changed: '', split_moved: '', meta_changed: '',
}

function version(number: number): Version {
  return {
    version: number, parent: null, message: '', author: 'owner', created: '2026-11-01T12:00:00Z', added: 0, updated: 0, removed: 0, labelled: 0, erased: 0,
    schema_version: 1, counts: aDataset().counts, names: [], merged: null, labelling: null,
  }
}

test('versions that hold the same say so, and one that is not there leaves two others to choose', async () => {
  answer('get', '/datasets/pets', aDataset({ head: 2 }))
  list('/datasets/pets/versions', [version(2), version(1)])
  list('/datasets/pets/diff/relabelled', [])
  receive('get', '/datasets/pets/diff', () => HttpResponse.json(same))
  openApp('/datasets/pets/diff?from=2&to=2')
  await screen.findByText(/v2 and v2 hold the same samples/)

  receive('get', '/datasets/pets/diff', () => refusal({ status: 404, detail: 'pets has no version nowhere.' }))
  openApp('/datasets/pets/diff?from=2&to=nowhere')
  expect((await screen.findByRole('alert')).textContent).toContain('could not be compared')
  receive('get', '/datasets/pets/diff', () => HttpResponse.json({ ...same, from: 1, counts: { relabelled: 1 } }))
  await choose(screen.getByLabelText('From version'), 'v1')
  await choose(screen.getByLabelText('To version'), 'v2')
  await screen.findByRole('navigation', { name: 'Kinds of change' })
})
