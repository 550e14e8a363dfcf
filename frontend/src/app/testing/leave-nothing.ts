/** Files of page tests share a process and its document: what one leaves behind, no other finds. */
import './browser-gaps'

import { cleanup } from '@testing-library/react'
import { IDBFactory } from 'fake-indexeddb'
import { afterAll, vi } from 'vitest'

import { api } from '../../shared/api/client'

afterAll(() => {
  cleanup()
  // What sends later, such as an outbox that tries again, does not reach the server of the next file.
  api.use({ onRequest: () => new Response(null, { status: 503 }) })
  vi.unstubAllGlobals()
  localStorage.clear()
  sessionStorage.clear()
  globalThis.indexedDB = new IDBFactory()
  for (const element of [document.documentElement, document.head, document.body]) {
    for (const { name } of [...element.attributes]) element.removeAttribute(name)
  }
  document.head.replaceChildren()
  document.body.replaceChildren()
  history.replaceState(null, '', '/')
  // The next file's modules begin anew: a list of keys that was left open is closed, an outbox knows nothing.
  vi.resetModules()
})
