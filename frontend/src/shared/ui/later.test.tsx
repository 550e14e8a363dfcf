// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react'
import { Component, type ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'

import { later } from './later'

afterEach(cleanup)

function Greeting({ name }: { name: string }) {
  return <p>Hello {name}</p>
}

class Caught extends Component<{ children: ReactNode }, { words: string | null }> {
  override state: { words: string | null } = { words: null }

  static getDerivedStateFromError(error: Error) {
    return { words: error.message }
  }

  override render() {
    return this.state.words === null ? this.props.children : <p>caught: {this.state.words}</p>
  }
}

test('the placeholder stands until the code has come, and no longer', async () => {
  let come: (component: typeof Greeting) => void = () => undefined
  const Later = later(() => new Promise<typeof Greeting>((resolve) => (come = resolve)), <p>soon</p>)
  render(<Later name="you" />)
  expect(screen.getByText('soon')).toBeTruthy()
  act(() => come(Greeting))
  expect(await screen.findByText('Hello you')).toBeTruthy()
  expect(screen.queryByText('soon')).toBeNull()
})

test('the code is asked for once, and is there at once the next time', async () => {
  const load = vi.fn(() => Promise.resolve(Greeting))
  const Later = later(load)
  const first = render(<Later name="you" />)
  expect(load).toHaveBeenCalledTimes(1)
  await screen.findByText('Hello you')
  first.unmount()
  render(<Later name="them" />)
  expect(screen.getByText('Hello them')).toBeTruthy()
  expect(load).toHaveBeenCalledTimes(1)
})

test('nothing asks for it before it is shown, and what keeps it away is told', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const load = vi.fn(() => Promise.reject<typeof Greeting>(new Error('the platform was upgraded')))
  const Later = later(load)
  expect(load).not.toHaveBeenCalled()
  render(
    <Caught>
      <Later name="you" />
    </Caught>,
  )
  expect(await screen.findByText('caught: the platform was upgraded')).toBeTruthy()
})
