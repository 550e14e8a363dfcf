import { BlobReader, BlobWriter, configure, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js'

import type { FoundFile } from '../exchange/chosen-files'
import { kindByName } from '../exchange/file-kinds'
import { mostBytes, mostFiles } from './known-classes'

// Browsers inflate themselves (`zip-core-custom` has nothing else to do it with); a worker would need more rights than the page has.
configure({ useWebWorkers: false })

/**
 * What lies in a zip, by its directory alone: a zip of many gigabytes costs some megabytes of reading. Annotation files have
 * their contents, as far as these may tell classes; images are names.
 */
export async function filesIn(archive: Blob): Promise<FoundFile[]> {
  const reader = new ZipReader(new BlobReader(archive))
  const found: FoundFile[] = []
  let read = 0
  for await (const entry of reader.getEntriesGenerator()) {
    if (entry.directory) continue
    const kind = kindByName(entry.filename) ?? { kind: 'left', reason: 'its name says neither image nor annotations' }
    const isRead = kind.kind === 'annotations' && !entry.encrypted && entry.uncompressedSize <= mostBytes && read < mostFiles
    read += isRead ? 1 : 0
    found.push({ path: entry.filename, file: isRead ? await contentOf(entry) : unread(entry), kind })
  }
  await reader.close()
  return found
}

/** A file with the entry's name and size alone. */
function unread({ filename, uncompressedSize }: FileEntry): File {
  return Object.defineProperty(new File([], filename), 'size', { value: uncompressedSize })
}

async function contentOf(entry: FileEntry): Promise<File> {
  return new File([await entry.getData(new BlobWriter())], entry.filename)
}
