// @vitest-environment jsdom

import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { ApiProblem } from '../api/errors'
import { TextArea, TextField } from './fields'
import { type Faults, Form } from './form'

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

const ignore = () => undefined

function Refused({ error, faults = {}, send = ignore }: { error: unknown; faults?: Faults; send?: () => void }) {
  return (
    <Form sending={{ error, isPending: false }} faults={faults} onSend={send} action="Save">
      <TextField name="name" label="Name" value="" onChange={ignore} />
      <details>
        <summary>More</summary>
        <TextField name="budget" label="Budget" value="" onChange={ignore} />
        <TextField name="budget.money" label="Money" value="" onChange={ignore} />
      </details>
    </Form>
  )
}

function refused(errors: Record<string, string[]>): ApiProblem {
  return new ApiProblem({ type: '', title: '', status: 400, detail: 'That cannot be.', code: 'invalid', errors })
}

test('a refusal leads to the first field at fault and opens what hides it', () => {
  const { rerender } = render(<Refused error={null} />)
  expect(scrolledTo).toEqual([])
  rerender(<Refused error={refused({ 'budget.labels': ['must be 0 or more'] })} />)
  expect(document.activeElement).toBe(screen.getByLabelText('Budget'))
  expect(scrolledTo).toEqual([screen.getByLabelText('Budget')])
  expect(document.querySelector('details')?.open).toBe(true)
  rerender(<Refused error={refused({ budget: ['no'], name: ['is taken'] })} />)
  expect(document.activeElement).toBe(screen.getByLabelText('Name'))
})

test('what belongs to no field stands beside the button and comes into view', () => {
  render(<Refused error={refused({ parent: ['is stale'] })} />)
  expect(screen.getByRole('alert').textContent).toBe('That cannot be. parent: is stale.')
  expect(scrolledTo).toEqual([screen.getByRole('alert')])
})

test('beside a field at fault, what belongs to none is said too', () => {
  render(<Refused error={refused({ name: ['is taken'], seed: ['must be a number'] })} />)
  expect(screen.getByRole('alert').textContent).toBe('seed: must be a number.')
  expect(document.activeElement).toBe(screen.getByLabelText('Name'))
})

test('a fault stands at the innermost of the fields it belongs to', () => {
  render(<Refused error={refused({ 'budget.money': ['must be 0 or more'], 'budget.labels': ['must be whole'] })} />)
  expect(screen.getByLabelText('Money').closest('.form-field')?.textContent).toBe('Moneymust be 0 or more.')
  expect(screen.getByLabelText('Budget').closest('.form-field')?.textContent).toBe('Budgetlabels: must be whole.')
  expect(screen.queryByRole('alert')).toBeNull()
})

test('a form with a fault of its own is not sent, and what the server said of it before is past', () => {
  const send = vi.fn()
  const error = refused({ name: ['is taken'], parent: ['is stale'] })
  render(<Refused error={error} faults={{ budget: 'Type a number.' }} send={send} />)
  expect(screen.getByRole('alert').textContent).toBe('parent: is stale.')
  fireEvent.submit(screen.getByRole('button', { name: 'Save' }))
  expect(send).not.toHaveBeenCalled()
  expect(screen.queryByRole('alert')).toBeNull()
  expect(document.activeElement).toBe(screen.getByLabelText('Budget'))
})

test('what is no number in a field for one is told there and stops the form, in a fold too', () => {
  const send = vi.fn()
  const form = (text: string) => (
    <Form onSend={send} action="Save">
      <details>
        <summary>More</summary>
        <TextField name="budget.money" label="Money" inputMode="decimal" value={text} onChange={ignore} />
      </details>
    </Form>
  )
  const { rerender } = render(form('1,000'))
  expect(screen.getByText('Type a number, with a point for decimals.')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(send).not.toHaveBeenCalled()
  expect(document.querySelector('details')?.open).toBe(true)
  expect(document.activeElement).toBe(screen.getByLabelText('Money'))
  for (const text of ['1000.5', '']) {
    rerender(form(text))
    fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  }
  expect(send).toHaveBeenCalledTimes(2)
})

test('what is pasted is not cut: it is said to be too long, by how much, and not sent', () => {
  const send = vi.fn()
  const form = (name: string, reason: string) => (
    <Form onSend={send} action="Save">
      <TextField label="Name" maxLength={5} value={name} onChange={ignore} />
      <TextArea label="Reason" maxLength={1000} value={reason} onChange={ignore} />
    </Form>
  )
  const { rerender } = render(form('abcdef', 'x'.repeat(1001)))
  expect(screen.getByLabelText('Name').getAttribute('maxlength')).toBeNull()
  expect(screen.getByText('must have at most 5 characters, not 6.')).toBeTruthy()
  expect(screen.getByText('must have at most 1,000 characters, not 1,001.')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(send).not.toHaveBeenCalled()
  rerender(form('\u{1f600}\u{1f600}\u{1f600}', '')) // three characters, of two units each
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(send).toHaveBeenCalledOnce()
})

test('what lacks is said where it lacks once somebody tries, by one way for all fields', () => {
  const send = vi.fn()
  const form = (name: string) => (
    <Form onSend={send} action="Save">
      <TextField label="Name" required value={name} onChange={ignore} />
    </Form>
  )
  const { rerender } = render(form(' '))
  expect(screen.queryByText('Fill this in.')).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(send).not.toHaveBeenCalled()
  expect(document.activeElement).toBe(screen.getByRole('textbox', { name: 'Name', description: 'Fill this in.' }))
  rerender(form('pets'))
  expect(screen.queryByText('Fill this in.')).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(send).toHaveBeenCalledOnce()
})

test('a form that can’t be sent as it stands says why when somebody tries; its button can always be pressed', () => {
  const send = vi.fn()
  render(<Form onSend={send} action="Save" refusal="Nothing is changed." />)
  expect(screen.queryByRole('alert')).toBeNull()
  fireEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(send).not.toHaveBeenCalled()
  expect(screen.getByRole('alert').textContent).toBe('Nothing is changed.')
})
