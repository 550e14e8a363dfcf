// @vitest-environment jsdom

import { cleanup, fireEvent, screen, within } from '@testing-library/react'
import { HttpResponse } from 'msw'
import { afterEach, expect, test } from 'vitest'

import type { Encoder } from '../shared/api/types'
import { choose as pick } from './testing/choose'
import { aDataset, aModel } from './testing/documents'
import { openApp } from './testing/open-app'
import { answer, list, receive, refusal, serveNothing, sessionOf } from './testing/server'

serveNothing()
afterEach(cleanup)

const encoder: Encoder = {
  id: 4, name: 'clip', project: 'default', width: 512, digest: 'd', size: 605_000_000, parameters: { input_size: [3, 224, 224], text_length: 77 }, uploaded: {}, trunk_fault: '', notes: 'ViT-B/32, MIT',
  created_by: 'ann', created: '2026-11-01T12:00:00Z',
}

const choose = (field: HTMLElement, name: string) => fireEvent.change(field, { target: { files: [new File([`bytes of ${name}`], name)] } })

/** As the button does; jsdom takes a file that a test has chosen for missing. */
function send(button: HTMLElement): void {
  const form = button.closest('form')
  if (form) fireEvent.submit(form)
}

/** The fields of a multipart form: its files by their names. */
function fields(body: unknown): Record<string, string> {
  const parts = [...String(body).matchAll(/name="(\w+)"(?:; filename="([^"]*)")?[^]*?\r\n\r\n([^]*?)\r\n--/g)]
  return Object.fromEntries(parts.map(([, name = '', file, text = '']) => [name, file ?? text]))
}

test('an ONNX file of one’s own is uploaded as a version: what is typed of it goes along, and a refusal stands at its field', async () => {
  answer('get', '/models/:model', aModel({ name: 'pets-cnn' }) as never)
  list('/models/:model/versions', [])
  list('/models/:model/promotions', [])
  list('/runs', [])
  list('/datasets', [aDataset({ name: 'pets', head: 3 }) as never])
  const sent = receive('post', '/models/pets-cnn/versions', () =>
    sent.length === 1 ? refusal({ status: 422, detail: 'The file can’t be used.', errors: { onnx: ['has 5 outputs, not 2'] } }) : HttpResponse.json({ job: { id: 9 } }, { status: 202 }),
  )
  answer('get', '/jobs/9', { id: 9, state: 'succeeded', result: {}, error: null } as never)
  openApp('/models/pets-cnn')
  fireEvent.click(await screen.findByRole('button', { name: 'Upload…' }))
  const dialog = within(await screen.findByRole('dialog'))
  choose(dialog.getByLabelText('ONNX file'), 'theirs.onnx')
  expect(dialog.getByText(/proved on noise/)).toBeTruthy()
  await pick(dialog.getByLabelText('Prove and evaluate on'), 'pets')
  fireEvent.change(dialog.getByLabelText('Mean'), { target: { value: 'a lot' } })
  send(dialog.getByRole('button', { name: 'Upload' }))
  expect(await dialog.findByText(/Type a number for each channel/)).toBeTruthy()
  expect(sent).toEqual([])
  fireEvent.change(dialog.getByLabelText('Mean'), { target: { value: '0.5, 0.5, 0.5' } })
  send(dialog.getByRole('button', { name: 'Upload' }))
  expect(await dialog.findByText('has 5 outputs, not 2.')).toBeTruthy()
  send(dialog.getByRole('button', { name: 'Upload' }))
  expect(await screen.findByText('The file is a version of pets-cnn now, the newest.')).toBeTruthy()
  expect(fields(sent[1])).toEqual({ onnx: 'theirs.onnx', metadata: JSON.stringify({ mean: [0.5, 0.5, 0.5], dataset: { dataset: 'pets', version: 'head' } }) })
})

test('an encoder is added on its page with its four files', async () => {
  list('/encoders', [])
  const sent = receive('post', '/encoders', () => HttpResponse.json(encoder, { status: 201 }))
  openApp('/encoders')
  fireEvent.click(await screen.findByRole('button', { name: 'Add an encoder…' }))
  const dialog = within(await screen.findByRole('dialog'))
  fireEvent.change(dialog.getByLabelText('Name'), { target: { value: 'clip' } })
  const parts = { 'Image encoder': 'image.onnx', 'Text encoder': 'text.onnx', Tokenizer: 'tokenizer.json', Preprocessor: 'preprocessor_config.json' }
  for (const [label, name] of Object.entries(parts)) choose(dialog.getByLabelText(label), name)
  fireEvent.change(dialog.getByLabelText('Tokens read of a text'), { target: { value: '64' } })
  fireEvent.change(dialog.getByLabelText('Shorter texts are filled up'), { target: { value: 'no' } })
  list('/encoders', [encoder])
  send(dialog.getByRole('button', { name: 'Add the encoder' }))
  const row = within(await screen.findByRole('row', { name: /clip/ }))
  expect(row.getByText('images of 3 × 224 × 224, 77 tokens')).toBeTruthy()
  expect(fields(sent[0])).toEqual({
    name: 'clip', metadata: JSON.stringify({ text_length: 64, fill: false }), image: 'image.onnx', text: 'text.onnx', tokenizer: 'tokenizer.json', preprocessor: 'preprocessor_config.json',
  })
})

test('an encoder is fetched from addresses: what is typed is sent, and a file with another digest is named at its field', async () => {
  list('/encoders', [])
  const sent = receive('post', '/encoders', () =>
    sent.length === 1 ? refusal({ status: 422, detail: 'The file can’t be used.', errors: { 'text.sha256': ['has another digest'] } }) : HttpResponse.json({ job: { id: 9 } }, { status: 202 }),
  )
  answer('get', '/jobs/9', { id: 9, state: 'succeeded', result: {}, error: null } as never)
  openApp('/encoders')
  fireEvent.click(await screen.findByRole('button', { name: 'Fetch an encoder…' }))
  const dialog = within(await screen.findByRole('dialog'))
  fireEvent.change(dialog.getByLabelText('Name'), { target: { value: 'clip' } })
  const digest = 'AB'.repeat(32)
  for (const part of ['Image encoder', 'Text encoder', 'Tokenizer']) {
    fireEvent.change(dialog.getByLabelText(`${part}: address`), { target: { value: `https://files.test/${part[0]}` } })
    fireEvent.change(dialog.getByLabelText(`${part}: SHA-256`), { target: { value: digest } })
  }
  send(dialog.getByRole('button', { name: 'Fetch the encoder' }))
  expect(await dialog.findByText('has another digest.')).toBeTruthy()
  send(dialog.getByRole('button', { name: 'Fetch the encoder' }))
  expect(await screen.findByText(/^The encoder clip is there\./)).toBeTruthy()
  const sha256 = digest.toLowerCase()
  expect(sent[1]).toEqual({
    name: 'clip', metadata: {}, image: { url: 'https://files.test/I', sha256 }, text: { url: 'https://files.test/T', sha256 }, tokenizer: { url: 'https://files.test/T', sha256 },
  })
})

test('an encoder is removed once that was confirmed, and a busy one says why it stays', async () => {
  list('/encoders', [encoder])
  const removed = receive('delete', '/encoders/4', () => refusal({ status: 409, detail: 'Job 3 computes embeddings by it.' }))
  openApp('/encoders')
  fireEvent.click(await screen.findByRole('button', { name: /Remove ?clip/ }))
  expect(removed).toEqual([])
  const dialog = within(await screen.findByRole('dialog'))
  fireEvent.click(dialog.getByRole('button', { name: 'Remove the encoder' }))
  expect(await dialog.findByText('Job 3 computes embeddings by it.')).toBeTruthy()
})

test('who may not build sees encoders and brings nothing', async () => {
  answer('get', '/session', sessionOf('reviewer'))
  list('/encoders', [encoder])
  answer('get', '/models/:model', aModel({ name: 'pets-cnn' }) as never)
  list('/models/:model/versions', [])
  list('/models/:model/promotions', [])
  list('/runs', [])
  openApp('/encoders')
  expect(await screen.findByText('ViT-B/32, MIT')).toBeTruthy()
  expect([screen.queryByRole('button', { name: /(Add|Fetch) an encoder/ }), screen.queryByRole('button', { name: /Remove/ })]).toEqual([null, null])
  cleanup()
  openApp('/models/pets-cnn')
  expect(await screen.findByRole('heading', { name: 'pets-cnn' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Upload…' })).toBeNull()
})
