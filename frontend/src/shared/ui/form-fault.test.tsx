// @vitest-environment jsdom

import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { ApiProblem } from '../api/errors'
import { Field, faultOf, FormFault } from './form'

const scrolledTo: Element[] = []

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn(function (this: Element) {
    scrolledTo.push(this)
  })
})
afterEach(() => {
  cleanup()
  scrolledTo.length = 0
})

function Form({ error }: { error: unknown }) {
  return (
    <form>
      <Field label="Name" fault={faultOf(error, 'name')}>
        {(joined) => <input {...joined} />}
      </Field>
      <details>
        <summary>More</summary>
        <Field label="Budget" fault={faultOf(error, 'budget')}>
          {(joined) => <input {...joined} />}
        </Field>
      </details>
      <FormFault error={error} fields={['name', 'budget']} />
    </form>
  )
}

function refused(errors: Record<string, string[]>): ApiProblem {
  return new ApiProblem({ type: '', title: '', status: 400, detail: 'That cannot be.', code: 'invalid', errors })
}

test('a refusal leads to the first field at fault and opens what hides it', () => {
  const { rerender } = render(<Form error={null} />)
  expect(scrolledTo).toEqual([])
  rerender(<Form error={refused({ 'budget.labels': ['must be 0 or more'] })} />)
  expect(document.activeElement).toBe(screen.getByLabelText('Budget'))
  expect(scrolledTo).toEqual([screen.getByLabelText('Budget')])
  expect(document.querySelector('details')?.open).toBe(true)
  rerender(<Form error={refused({ budget: ['no'], name: ['is taken'] })} />)
  expect(document.activeElement).toBe(screen.getByLabelText('Name'))
})

test('what belongs to no field stands beside the button and comes into view', () => {
  render(<Form error={refused({ parent: ['is stale'] })} />)
  expect(screen.getByRole('alert').textContent).toBe('That cannot be. parent: is stale')
  expect(scrolledTo).toEqual([screen.getByRole('alert')])
})

test('beside a field at fault, what belongs to none is said too', () => {
  render(<Form error={refused({ name: ['is taken'], seed: ['must be a number'] })} />)
  expect(screen.getByRole('alert').textContent).toBe('Seed: must be a number.')
  expect(document.activeElement).toBe(screen.getByLabelText('Name'))
})
