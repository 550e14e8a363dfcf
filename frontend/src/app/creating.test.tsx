// @vitest-environment jsdom

import { BlobWriter, TextReader, ZipWriter } from '@zip.js/zip.js'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'

import { openApp } from './testing/open-app'
import { serveNothing } from './testing/server'

serveNothing()
afterEach(cleanup)

function fileAt(path: string, text = 'x'): File {
  const file = new File([text], path.split('/').at(-1) ?? path)
  Object.defineProperty(file, 'webkitRelativePath', { value: path })
  return file
}

const field = (label: string | RegExp) => screen.getByLabelText<HTMLInputElement>(label)

test('what is typed stays when files are chosen after it and when their conversion is', async () => {
  openApp('/datasets/new')
  await userEvent.type(await screen.findByLabelText('Name'), 'mine')
  await userEvent.type(field('Description'), 'from the yard')
  await userEvent.upload(field('Choose a folder'), [fileAt('yard/cat/1.png'), fileAt('yard/cat/2.gif', 'GIF89a'), fileAt('yard/dog/3.png')])
  expect(await screen.findByRole('heading', { name: /Found: 2 images/ })).toBeTruthy()
  expect([field('Name').value, field('Description').value, field(/^Classes/).value]).toEqual(['mine', 'from the yard', 'cat\ndog'])
  await userEvent.type(field(/^Classes/), '\nbird')
  await userEvent.click(field(/^Convert/))
  expect(await screen.findByRole('heading', { name: /Found: 3 images/ })).toBeTruthy()
  expect([field('Name').value, field('Description').value, field(/^Classes/).value]).toEqual(['mine', 'from the yard', 'cat\ndog\nbird'])

  await userEvent.click(screen.getByRole('button', { name: 'Choose another' }))
  await waitFor(() => expect(field('Name').value).toBe(''))
  expect(field(/^Classes/).value).toBe('')
})

test('the classes of a COCO folder are its categories, and its task is boxes', async () => {
  openApp('/datasets/new')
  await screen.findByLabelText('Name')
  const coco = JSON.stringify({ images: [], annotations: [], categories: [{ id: 1, name: 'nut' }, { id: 2, name: 'bolt' }] })
  await userEvent.upload(field('Choose a folder'), [fileAt('parts/images/1.png'), fileAt('parts/annotations/instances.json', coco)])
  await waitFor(() => expect(field(/^Classes/).value).toBe('nut\nbolt'))
  expect(field('Name').value).toBe('parts')
  expect(field('Task').value).toBe('detection')
  expect(within(screen.getByRole('main')).getByText(/Taken from the annotation files/)).toBeTruthy()
})

async function zipOf(files: Record<string, string>): Promise<File> {
  const writer = new ZipWriter(new BlobWriter())
  for (const [name, text] of Object.entries(files)) await writer.add(name, new TextReader(text))
  return new File([await writer.close()], 'parts.zip')
}

test('a zip tells its classes and its images, whatever lies around and beside them', async () => {
  openApp('/datasets/new')
  await screen.findByLabelText('Name')
  await userEvent.upload(field('Choose files'), await zipOf({ 'all/train/cat/1.png': 'x', 'all/test/dog/2.jpg': 'x', '__MACOSX/all/._1.png': 'x' }))
  expect(await screen.findByRole('heading', { name: /Found: the archive parts.zip with 2 images, / })).toBeTruthy()
  expect([field('Name').value, field(/^Classes/).value, field('Task').value]).toEqual(['parts', 'cat\ndog', 'classification'])
  await userEvent.click(screen.getByRole('button', { name: 'Choose another' }))

  const coco = JSON.stringify({ categories: [{ id: 1, name: 'nut' }] })
  await userEvent.upload(field('Choose files'), await zipOf({ 'images/1.png': 'x', 'annotations/instances.json': coco }))
  expect(await screen.findByRole('heading', { name: /Found: the archive parts.zip with 1 image and 1 annotation file, / })).toBeTruthy()
  await waitFor(() => expect(field(/^Classes/).value).toBe('nut'))
  expect(field('Task').value).toBe('detection')
  await userEvent.click(field(/^Convert/))
  expect(field(/^Classes/).value).toBe('nut')
  await userEvent.click(screen.getByRole('button', { name: 'Choose another' }))

  await userEvent.upload(field('Choose files'), new File(['PK no more'], 'torn.zip'))
  expect(await screen.findByText(/The files of torn.zip can’t be listed: .*\. Send it if other programs can open it/)).toBeTruthy()
  expect(screen.getByText(/This page can’t list its files: name the classes below/)).toBeTruthy()
})

test('images in folders come in unlabelled where boxes are asked for, and the page says so', async () => {
  openApp('/datasets/new')
  await screen.findByLabelText('Name')
  await userEvent.upload(field('Choose a folder'), [fileAt('yard/cat/1.png'), fileAt('yard/dog/2.png')])
  expect(await screen.findByText(/If you remove a class/)).toBeTruthy()
  await userEvent.selectOptions(field('Task'), 'detection')
  expect(screen.getByText(/The images come in unlabelled/)).toBeTruthy()
})
