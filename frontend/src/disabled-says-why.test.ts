import { globSync, readFileSync } from 'node:fs'

import { expect, test } from 'vitest'

/** What a control waits for ends by itself within a moment, and its words say so: `Saving…`. */
const waits = /Pending|pending|busy|saving|copying|isReading|isFetchingNextPage|wait > 0/
/** Fields whose hint or neighbour says what is missing; a browser's own control has no other way. */
const said = [
  'disabled={draft.dataset === \'\'}', // "Choose the dataset first."
  'disabled={draft.model === \'\'}',
  'disabled={dataset === \'\'}',
  'disabled={read.fault !== null}', // "This is not JSON"
  'disabled={sample === null}', // "no longer in the dataset"
  'disabled={!decides}', // "Engineers and owners change the classes."
  'disabled={!owns}', // "only owners may move it"
  'disabled={one.endsWith(\'uniqueness\') && !measured}', // "(make a map to measure it)"
  'disabled={archived}', // "(restore it first)"
  'disabled={!archived}', // "(archive it first)"
  'disabled={name === \'random\'}', // "always included, for comparison"
  'disabled={noProbe}', // "(not for the labels of this dataset)"
  'disabled={disabled}', // what a component is given
]

test('what can’t be pressed for longer than a moment says why: RefusableButton does', () => {
  const found = globSync('src/**/*.tsx', { exclude: ['src/**/*.test.tsx'] }).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(?<!aria-)disabled=\{[^}]*\}/g)].map(([text]) => text).filter((text) => !waits.test(text) && !said.includes(text)).map((text) => `${file}: ${text}`),
  )
  expect(found).toEqual([])
})
