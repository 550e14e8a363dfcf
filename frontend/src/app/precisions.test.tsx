// @vitest-environment jsdom

import { cleanup, screen } from '@testing-library/react'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import type { ModelVersionDetail } from '../shared/api/types'
import { aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, receive, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

function aVersion(part: Partial<ModelVersionDetail>): ModelVersionDetail {
  return {
    model: 'pets-cnn', version: 1, architecture: 'small_cnn', digest: 'ab'.repeat(32), dataset: null, dataset_version: null, dataset_role: null, run: null, aliases: [], headline: { name: 'accuracy', value: null }, metrics: {},
    size: 1_000, tensorrt: 'not verified', precisions: [], warnings: [], notes: '', created: '2026-11-01T12:00:00Z', slices: null, gates: [],
    lineage: { dataset: null, dataset_version: null, run: null, cloned_from: null, parent: null, made_from: [], children: [], hidden: 0 }, report: {}, feeding: null, lock: {}, artifacts: [],
    promotions: [], ...part,
  }
}

test('a precision that is being proved names its job, and its figures come without a reload', async () => {
  const report = { ready: false, checks: [{ name: 'opset', passed: false, problems: [] }] }
  const proven = { ready: true, bytes: 500, tensorrt: 'not verified' }
  let asked = 0
  answer('get', '/models/pets-cnn', aModel())
  receive('get', '/models/pets-cnn/versions/1', () => {
    asked += 1
    return HttpResponse.json(
      asked === 1
        ? aVersion({ precisions: [{ precision: 'int8', state: 'being_proven', job: 7 }], report })
        : aVersion({ precisions: [{ precision: 'int8', state: 'proven', job: 7 }], report: { ...report, variants: { int8: proven } } }),
    )
  })
  openApp('/models/pets-cnn/1')
  await screen.findByText('being proved')
  expect(screen.getByRole('link', { name: 'job 7' }).getAttribute('href')).toBe('/app/jobs/7')

  await screen.findByText('ready', undefined, { timeout: 10_000 })
  expect(screen.queryByText('being proved')).toBeNull()
})
