import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const files = new Set(globSync('src/**/*.{ts,tsx}').filter((file) => !file.includes('.test.')))

/** The modules of ours that a module imports, types too. */
function imported(file: string): string[] {
  return ts.preProcessFile(readFileSync(file, 'utf8')).importedFiles.flatMap(({ fileName }) => {
    const path = join(dirname(file), fileName)
    return fileName.startsWith('.') ? [path, `${path}.ts`, `${path}.tsx`].filter((each) => files.has(each)) : []
  })
}

/** The first way that leads from a module back to itself. */
function circle(): string[] | null {
  const done = new Set<string>()
  const walk = (file: string, way: string[]): string[] | null => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file]
    if (done.has(file)) return null
    for (const next of imported(file)) {
      const found = walk(next, [...way, file])
      if (found) return found
    }
    done.add(file)
    return null
  }
  for (const file of files) {
    const found = walk(file, [])
    if (found) return found
  }
  return null
}

test('no module imports itself by way of others', () => {
  expect(files.size).toBeGreaterThan(400)
  expect(circle()).toBeNull()
})
