// @vitest-environment jsdom

import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'

import { Headline } from './headline'

afterEach(cleanup)

test('what is not known yet is left out', () => {
  render(<Headline label="Figures" figures={[['Pool', '200'], ['Picked', null]]} />)
  expect(screen.getByText('200')).toBeDefined()
  expect(screen.queryByText('Picked')).toBeNull()
})

test('where nothing is known yet there is no empty box', () => {
  const { container } = render(<Headline label="Figures" figures={[['Pool', null], ['Picked', null]]} />)
  expect(container.innerHTML).toBe('')
})
