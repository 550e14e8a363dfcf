// @vitest-environment jsdom

import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'

import { asProblem } from '../../../shared/api/client'
import { ApiProblem } from '../../../shared/api/errors'
import { Added } from './added'
import { NotTaken } from './not-taken'
import { SendingView } from './sending-view'

afterEach(cleanup)

test('what refused all the rest is named, file by file', () => {
  const answer = { code: 'not_all_accepted', detail: '1 item could not be taken, so nothing was.', rejected: [{ key: 'broken.png', detail: 'no image' }] }
  const error = new ApiProblem(asProblem(answer, { status: 400, statusText: 'Bad Request' }))
  const never = () => Promise.resolve()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SendingView sending={{ state: 'failed', error, again: never, stop: () => undefined }} into="dataset">
        {() => null}
      </SendingView>
    </QueryClientProvider>,
  )
  expect(within(screen.getByRole('list', { name: 'Not taken' })).getByRole('listitem').textContent).toBe('broken.png: no image')
})

test('what brought nothing names no version as if it had made it', () => {
  const nothing = { version: 1, added: 0, updated: 0, labelled: 0, unchanged: 0, rejected: [], converted: 0, exact_duplicates: { in_commit: 0, in_dataset: 0 }, leaks: [] }
  const shown = (brought: object) => {
    const view = render(
      <QueryClientProvider client={new QueryClient()}>
        <Added commit={{ ...nothing, ...brought } as never} dataset="pets" onClose={() => undefined} />
      </QueryClientProvider>,
    )
    const text = view.container.querySelector('strong')?.textContent
    view.unmount()
    return text
  }
  expect([shown({}), shown({ unchanged: 3 }), shown({ added: 2 })]).toEqual(['No new version: there are no files in it.', 'No new version: nothing changed.', 'Version 1:'])
})

test('an annotation file that is named several times is shown each time, once in each line', () => {
  render(
    <NotTaken
      rejected={[
        { key: 'coco.json', detail: "coco.json: 'a.png' has two categories" },
        { key: 'coco.json', detail: "coco.json: 'b.png' has two categories" },
        { key: 'c.gif', detail: 'GIF is not taken' },
      ]}
    />,
  )
  expect(screen.getByText('3 items were not taken:')).toBeTruthy()
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual(["coco.json: 'a.png' has two categories", "coco.json: 'b.png' has two categories", 'c.gif: GIF is not taken'])
})

test('what a commit passed over is counted by kind, and what is only written in another way is not part of it', () => {
  const commit = { version: 1, added: 1, updated: 0, labelled: 1, unchanged: 0, rejected: [], converted: 0, exact_duplicates: { in_commit: 0, in_dataset: 0 }, leaks: [] }
  const passed = [{ code: 'image_missing', what: 'annotated images that are not here', count: 1200, first: 'x/7.png' }]
  const shown = (brought: object) => {
    const view = render(
      <QueryClientProvider client={new QueryClient()}>
        <Added commit={{ ...commit, notes: ['ellipses were kept as polygons (2)'], ...brought } as never} dataset="pets" onClose={() => undefined} />
      </QueryClientProvider>,
    )
    const lists = screen.getAllByRole('list').map((list) => [list.getAttribute('aria-label'), list.textContent])
    view.unmount()
    return lists
  }
  expect(shown({ passed_over: [] })).toEqual([['Changed', 'ellipses were kept as polygons (2)']])
  expect(shown({ passed_over: passed })[1]).toEqual(['Passed over', '1,200 × annotated images that are not here (the first: x/7.png)'])
})
