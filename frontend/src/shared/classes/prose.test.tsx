// @vitest-environment jsdom

import { render } from '@testing-library/react'
import { expect, test } from 'vitest'

import { blocks, Prose } from './prose'

test('paragraphs and lists are parted by blank lines, and a list begins at its first point', () => {
  expect(blocks('One\ntwo\n\nMind:\n- a\n- b\nafter')).toEqual([['One', 'two'], ['Mind:'], ['- a', '- b'], ['after']])
  expect(blocks('  \n ')).toEqual([])
})

test('marks become elements and markup stays text', () => {
  const { container } = render(<Prose text={'A **nut** has `6` sides.\n\n- <b>not bold</b>'} />)
  expect(container.querySelector('strong')?.textContent).toBe('nut')
  expect(container.querySelector('code')?.textContent).toBe('6')
  expect(container.querySelector('li')?.textContent).toBe('<b>not bold</b>')
  expect(container.querySelector('b')).toBeNull()
})
