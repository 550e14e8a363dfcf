// @vitest-environment jsdom
import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'

import { labelObjects } from '../format/labels'
import { ObjectList } from './object-list'

afterEach(cleanup)

test('every object says its class, attributes, id and track', () => {
  const label = {
    boxes: [{ class: 'car', box: [0, 0, 4, 4], attributes: { occluded: true, colour: 'red' }, id: '17', track: 'car-3' }],
    ignore: [{ box: [0, 0, 1, 1], attributes: { dense: 0.5 } }],
  }
  render(<ObjectList label="Objects" objects={labelObjects(label)} classes={['car']} />)
  const [car, region] = within(screen.getByRole('list', { name: 'Objects' })).getAllByRole('listitem')
  expect(car?.textContent).toMatch(/car.*id 17.*track car-3.*occluded yes.*colour red/)
  expect(region?.textContent).toMatch(/no class.*dense 0.5/)
})

test('what is not shown is counted', () => {
  const boxes = Array.from({ length: 103 }, () => ({ class: 'car', box: [0, 0, 4, 4] }))
  render(<ObjectList label="Objects" objects={labelObjects({ boxes })} classes={['car']} />)
  expect(screen.getAllByRole('listitem')).toHaveLength(101)
  expect(screen.getAllByText('and 3 more')).toHaveLength(1)
})
