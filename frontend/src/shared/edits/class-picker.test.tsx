// @vitest-environment jsdom

import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'

import type { SchemaClass } from '../classes/types'
import { ClassPicker } from './class-picker'

Element.prototype.scrollIntoView = vi.fn()
afterEach(cleanup)

const classes = ['cat', 'dog'].map((name) => ({ name, colour: '#000000', dash: false, key: null }) as unknown as SchemaClass)

function Picking({ known }: { known: readonly SchemaClass[] }) {
  const [value, setValue] = useState<string | null>(null)
  return (
    <>
      <ClassPicker classes={known} value={value} onChange={setValue} />
      <output>{value}</output>
    </>
  )
}

test('what was typed before the classes came chooses once they are there', () => {
  const { rerender } = render(<Picking known={[]} />)
  fireEvent.change(screen.getByRole('combobox'), { target: { value: 'do' } })
  expect(screen.getByRole('status').textContent).toBe('')
  rerender(<Picking known={classes} />)
  expect(screen.getByRole('status').textContent).toBe('dog')
})
