import { readFileSync } from 'node:fs'

import react from '@vitejs/plugin-react'
import { defineConfig } from 'vitest/config'

const backend = process.env.MOTHERLODE_ADDRESS ?? 'http://127.0.0.1:8000'
const described = Object.keys((JSON.parse(readFileSync(new URL('openapi.json', import.meta.url), 'utf8')) as { paths: object }).paths)
const roots = new Set([...described.map((path) => path.split('/')[1]), 'dvc', 'health', 'manual', 'openapi.json'])
const restRoutes = `^/(${[...roots].join('|')})([/?]|$)`

/** What every page stands on: one file, which stays in the browser's cache when only the application is new. */
function isFramework(id: string): boolean {
  const packages = /\/node_modules\/(react|react-dom|scheduler|@tanstack\/(query-core|react-query|react-router|react-store|router-core|history|store)|use-sync-external-store|openapi-fetch)\//
  // These come with the pages that use them.
  const later = /\/(use)?(blocker|mutation|queries|infiniteQuery|mutationObserver|queriesObserver|infiniteQueryObserver)\.js$/i
  return packages.test(id) && (!later.test(id) || id.endsWith('/mutation.js'))
}

/** What every page has besides, in small modules: together they are smaller than each in a file of its own. */
const everywhere = /\/src\/shared\/(api\/(client|queries)|keys\/(keyboard|keymap)|preferences\/preferences)\.ts$/

export default defineConfig(({ command }) => ({
  // Django serves the build's files under /static/ and index.html under /app/*.
  base: command === 'build' ? '/static/' : '/',
  plugins: [react()],
  // React has had what the shim stands in for since 18.
  resolve: { alias: { 'use-sync-external-store/shim/with-selector': 'use-sync-external-store/with-selector' } },
  build: {
    target: 'es2022',
    sourcemap: false,
    chunkSizeWarningLimit: 450,
    // Every browser that knows es2022 knows modulepreload, or does well without.
    modulePreload: { polyfill: false },
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'framework', test: isFramework, includeDependenciesRecursively: false }, { name: 'everywhere', test: everywhere, includeDependenciesRecursively: false }] } } },
  },
  server: { host: '127.0.0.1', proxy: { [restRoutes]: { target: backend } } },
  test: {
    restoreMocks: true,
    testTimeout: 60_000,
    projects: [
      // What has no page needs no process of its own: to start one takes longer than its tests.
      { extends: true, test: { name: 'logic', environment: 'node', include: ['src/**/*.test.ts'], isolate: false } },
      // Pages share one too: most of a file's time was to begin a document and to read the application anew.
      { extends: true, test: { name: 'pages', environment: 'jsdom', include: ['src/**/*.test.tsx'], isolate: false, setupFiles: 'src/app/testing/leave-nothing.ts' } },
    ],
  },
}))
