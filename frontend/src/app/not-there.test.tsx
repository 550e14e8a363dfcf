// @vitest-environment jsdom

import { cleanup, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'

import { openApp } from './testing/open-app'
import { list, receive, refusal, serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

const pages = [
  ['/pipelines/77', '/pipelines'], ['/pipelines/77/edit', '/pipelines'], ['/pipelines/new?like=77', '/pipelines'], ['/mining/77', '/mining'], ['/backtests/77', '/backtests'], ['/sweeps/77', '/sweeps'],
  ['/datasets/77', '/datasets'], ['/datasets/77/versions', '/datasets'], ['/label/77', '/label'], ['/review/77', '/review'], ['/models/77', '/models'], ['/models/77/1', '/models'],
  ['/models/77/1/outcomes', '/models'], ['/models/77/compare?a=1&b=2', '/models/77'], ['/runs/77', '/runs'], ['/jobs/77', '/jobs'], ['/settings/projects/77', '/settings/projects'],
] as const

test.each(pages)('%s of a thing that is not there says so and leads to %s', async (address, way) => {
  const gone = () => refusal({ status: 404, detail: 'There is no such thing.' })
  for (const path of ['/pipelines/77', '/mining/jobs/77', '/backtests/77', '/sweeps/77', '/sweeps/77/trials', '/datasets/77', '/labeling/queues/77', '/labeling/reviews'] as const) receive('get', path, gone)
  for (const path of ['/models/77', '/models/77/versions', '/models/77/versions/1', '/models/77/compare', '/runs/77', '/jobs/77', '/projects/77'] as const) receive('get', path, gone)
  for (const path of ['/pipelines', '/models'] as const) list(path, [])
  openApp(address)
  expect(await screen.findByText('There is no such thing.')).toBeTruthy()
  const links = screen.getAllByRole<HTMLAnchorElement>('link', { name: /^To the/ })
  expect(links.map((link) => link.getAttribute('href'))).toEqual([`/app${way}`])
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull()
  expect(document.body.textContent).not.toContain('without this page')
})
