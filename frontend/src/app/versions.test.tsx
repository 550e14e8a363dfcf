// @vitest-environment jsdom

import { cleanup, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test } from 'vitest'

import type { Workers } from '../shared/api/types'
import { openApp } from './testing/open-app'
import { answer, serveNothing } from './testing/server'

serveNothing()
beforeEach(() => answer('put', '/session/preferences', {}))
afterEach(cleanup)

function serveVersions(...versions: Workers['versions']): void {
  const nothing: Workers = { machines: [], versions, queues: [], projects: [], quarantined: { images: 0, results: [] } }
  answer('get', '/workers', nothing)
}

test('the page says which versions run where there are several', async () => {
  serveVersions({ version: null, workers: 2, web: 0 }, { version: '0.3.0', workers: 3, web: 1 })
  openApp('/workers')
  expect(await screen.findByText('Several versions run: 2 workers of 0.2.0 or before, 3 workers and 1 web process of 0.3.0.')).toBeTruthy()
})

test('one version is not worth a word', async () => {
  serveVersions({ version: '0.3.0', workers: 3, web: 2 })
  openApp('/workers')
  await screen.findByText(/No worker has reported in the last minute/)
  expect(screen.queryByText(/versions run/)).toBeNull()
})
