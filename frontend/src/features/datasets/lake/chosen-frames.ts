import { archiveOf, belowOneFolder, type FoundFile, type LeftFile, sorted } from '../exchange/chosen-files'

/** Files for the lake, as they were dropped or picked. */
export type ChosenFrames = { source: 'archive' | 'manifest'; file: File } | { source: 'images'; images: FrameFile[]; bytes: number; folder: string; left: LeftFile[] }

export interface FrameFile {
  /** Below the folder. */
  name: string
  data: File
}

/** Most images that one archive made by the browser has: `lode lake push` makes several. */
export const mostImages = 100_000

const noLabels = 'a lake holds images alone: add labelled images to the dataset'

/** An archive or a manifest chosen alone, or the images among all. */
export function chosenFrames(found: readonly FoundFile[]): ChosenFrames {
  const archive = archiveOf(found)
  if (archive !== null) return { source: 'archive', file: archive }
  const [only] = found
  if (only && found.length === 1 && /\.parquet$/i.test(only.path)) return { source: 'manifest', file: only.file }
  const below = belowOneFolder(
    found.map(({ path }) => path),
    new Set(),
  )
  const { files, left } = sorted(
    found.map((one) => ({ ...one, path: below(one.path) })),
    null,
  )
  const images = files.filter(({ isImage }) => isImage).map(({ name, data }) => ({ name, data }))
  const labels = files.filter(({ isImage }) => !isImage).map(({ name }) => ({ name, reason: noLabels }))
  const first = only?.path ?? ''
  return {
    source: 'images',
    images,
    bytes: images.reduce((sum, { data }) => sum + data.size, 0),
    folder: first.slice(0, first.length - below(first).length),
    left: [...left, ...labels],
  }
}

/** What is wrong with the text that is put before every key; the server judges each key once more. */
export function prefixFault(prefix: string): string | null {
  if (prefix.includes('\\')) return 'Folders of a key are parted by /, not by \\.'
  const folders = prefix.split('/').slice(0, -1)
  return folders.some((folder) => ['', '.', '..'].includes(folder)) ? 'A key doesn’t begin with / and has no empty folder, none named . and none named ..' : null
}

/** Whether the browser makes digests: on https and on this machine alone, though types promise it everywhere. */
export function hasDigests(): boolean {
  return (crypto as { subtle?: SubtleCrypto }).subtle !== undefined
}

/** Tells these images from others, so that an upload that broke goes on. Only where the browser `hasDigests`. */
export async function fingerprintOfAll(images: readonly FrameFile[]): Promise<string> {
  const told = images.map(({ name, data }) => `${name} ${data.size} ${data.lastModified}`).join('\n')
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(told))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
