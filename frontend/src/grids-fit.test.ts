import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** px that a page leaves its content on a phone 390 px wide. */
const phone = 280

test('no grid of panels has columns wider than a phone', () => {
  const grids = globSync('src/**/*.css').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/repeat\(auto-fi[lt]{1,2}, minmax\((\d+)px/g)].map(([, least]) => ({ file, least: Number(least) })),
  )
  expect(grids.length).toBeGreaterThan(10)
  expect(grids.filter(({ least }) => least > phone)).toEqual([])
})
