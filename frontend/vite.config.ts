import { readFileSync } from 'node:fs'

import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const backend = process.env.MOTHERLODE_ADDRESS ?? 'http://127.0.0.1:8000'
const described = Object.keys((JSON.parse(readFileSync(new URL('openapi.json', import.meta.url), 'utf8')) as { paths: object }).paths)
const roots = new Set([...described.map((path) => path.split('/')[1]), 'dvc', 'health', 'openapi.json'])
const restRoutes = `^/(${[...roots].join('|')})([/?]|$)`

export default defineConfig(({ command }) => ({
  // Django serves the build's files under /static/ and index.html under /app/*.
  base: command === 'build' ? '/static/' : '/',
  plugins: [react()],
  build: { target: 'es2022', sourcemap: false, chunkSizeWarningLimit: 450 },
  server: { host: '127.0.0.1', proxy: { [restRoutes]: { target: backend } } },
  test: {
    restoreMocks: true,
    testTimeout: 60_000,
    projects: [
      // What has no page needs no process of its own: to start one takes longer than its tests.
      { extends: true, test: { name: 'logic', environment: 'node', include: ['src/**/*.test.ts'], isolate: false } },
      { extends: true, test: { name: 'pages', environment: 'jsdom', include: ['src/**/*.test.tsx'] } },
    ],
  },
}))
