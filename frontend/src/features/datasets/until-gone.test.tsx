// @vitest-environment jsdom

import { cleanup, render, screen } from '@testing-library/react'
import { StrictMode } from 'react'
import { afterEach, expect, test } from 'vitest'

import { untilGone } from './until-gone'

afterEach(cleanup)

function shown(complete: boolean) {
  const page = render(
    <StrictMode>
      <img ref={untilGone} src="/thumbs/1" alt="one" />
    </StrictMode>,
  )
  const image = screen.getByAltText('one')
  Object.defineProperty(image, 'complete', { value: complete })
  return { page, image }
}

test('a picture that goes before it is there is not read to its end', async () => {
  const { page, image } = shown(false)
  await Promise.resolve()
  expect(image.getAttribute('src')).toBe('/thumbs/1')
  page.unmount()
  await Promise.resolve()
  expect(image.hasAttribute('src')).toBe(false)
})

test('one that is there stays what it is', async () => {
  const { page, image } = shown(true)
  page.unmount()
  await Promise.resolve()
  expect(image.getAttribute('src')).toBe('/thumbs/1')
})
