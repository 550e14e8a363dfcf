// @vitest-environment jsdom

import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createRef } from 'react'
import { afterEach, expect, test, vi } from 'vitest'

import { useActions } from '../../shared/keys/use-keys'
import { ClassKeys } from './class-keys'
import { ClassList } from './class-list'

afterEach(cleanup)

const names = ['bolt', 'cap', 'disc', 'gear', 'nut', 'pin', 'ring', 'screw', 'tube', 'washer']
const classes = names.map((name) => ({ name, key: null, archived: false, colour: '#0072B2', dash: 0, guideline: '', examples: [] }))
const search = createRef<HTMLInputElement>()

function Page({ count, onChoose, onSkip }: { count: number; onChoose: (name: string) => void; onSkip: () => void }) {
  useActions('classify', {
    choose: () => false,
    act: (action) => {
      if (action === 'skip') onSkip()
      if (action === 'search') search.current?.focus()
      return true
    },
  })
  const offered = classes.slice(0, count)
  return <ClassList classes={offered} keys={new ClassKeys(offered)} suggestion={null} suggested={[]} ticked={null} onChoose={onChoose} search={search} />
}

test('with ten classes the key of the search leads into its field, and letters typed there skip nothing', async () => {
  const [onChoose, onSkip] = [vi.fn(), vi.fn()]
  render(<Page count={10} onChoose={onChoose} onSkip={onSkip} />)
  await userEvent.keyboard('/wash{Enter}')
  expect(onChoose).toHaveBeenCalledExactlyOnceWith('washer')
  expect(onSkip).not.toHaveBeenCalled()
  await userEvent.keyboard('s')
  expect(onSkip).toHaveBeenCalledOnce()
})

test('fewer classes are seen at a glance', () => {
  render(<Page count={9} onChoose={vi.fn()} onSkip={vi.fn()} />)
  expect(screen.queryByRole('textbox')).toBeNull()
})
