import { BlobReader, BlobWriter, configure, type FileEntry, ZipReader } from '@zip.js/zip.js/lib/zip-core-custom.js'
import { createTarDecoder } from 'modern-tar'

import type { FoundFile } from '../exchange/chosen-files'
import { kindByName } from '../exchange/file-kinds'
import { mostBytes, mostFiles } from './known-classes'

// Browsers inflate themselves (`zip-core-custom` has nothing else to do it with); a worker would need more rights than the page has.
configure({ useWebWorkers: false })

/** The names of an archive's files are in an encoding that nobody named. (`worker_programs.archive_names` is the same rule for the server.) */
export class NamesNotUtf8 extends Error {}

/** What lies in an archive; `encoding` is that of its names which are not UTF-8. Annotation files have their contents, as far as these may tell classes; images are names. */
export async function filesIn(archive: File, encoding: string | null = null): Promise<FoundFile[]> {
  const listing = new Listing()
  await (/\.zip$/i.test(archive.name) ? listZip(archive, listing, encoding) : listTar(archive, listing, encoding))
  return listing.found
}

/** The files of an archive so far, and how many of them were read. */
class Listing {
  readonly found: FoundFile[] = []
  private read = 0

  /** Whether the content was read. */
  async add(name: string, size: number, content: (() => Promise<BlobPart>) | null): Promise<boolean> {
    const path = name.normalize('NFC')
    const kind = kindByName(path) ?? { kind: 'left', reason: 'its name says neither image nor annotations' }
    const isRead = kind.kind === 'annotations' && content !== null && size <= mostBytes && this.read < mostFiles
    this.read += isRead ? 1 : 0
    this.found.push({ path, file: isRead ? new File([await content()], path) : unread(path, size), kind })
    return isRead
  }
}

/** By its directory alone: a zip of many gigabytes costs some megabytes of reading. */
async function listZip(archive: File, listing: Listing, encoding: string | null): Promise<void> {
  const reader = new ZipReader(new BlobReader(archive))
  const unsaid: Uint8Array[] = []
  for await (const entry of reader.getEntriesGenerator(encoding === null ? {} : { filenameEncoding: encoding })) {
    // A name in UTF-8 that nothing says so of: whether it is by chance, all names together tell.
    if (encoding === null && entry.filenameUTF8 && !entry.bitFlag?.languageEncodingFlag && entry.extraFieldUnicodePath?.valid !== true) unsaid.push(entry.rawFilename)
    const isRead = entry.filenameUTF8 || entry.extraFieldUnicodePath?.valid === true || encoding !== null
    if (!isRead && entry.rawFilename.some((byte) => byte > 127)) throw new NamesNotUtf8('its names are not UTF-8')
    if (!entry.directory) await listing.add(entry.filename, entry.uncompressedSize, entry.encrypted ? null : () => contentOf(entry))
  }
  await reader.close()
  if (isDoubtful(unsaid)) throw new NamesNotUtf8('its names may not be UTF-8')
}

const either = /(?<![A-Za-z\x80-\xff])(?:[\xc2-\xdf][\xa1-\xbf])+(?![A-Za-z\x80-\xff])/g
const word = /^(?:[\u0386-\u03ce]{3,}|[\u0400-\u04ff]{3,}|[\u0531-\u0587]{3,}|[\u05d0-\u05ea]{3,}|[\u0620-\u06ff]{3,})$/

/** Whether all names read as UTF-8 by chance alone, it seems: `图片` in GBK is UTF-8 for `ͼƬ`. */
export function isDoubtful(names: readonly Uint8Array[]): boolean {
  const utf8 = (bytes: string) => new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)))
  const texts = names.map((name) => Array.from(name, (byte) => String.fromCharCode(byte)).join('')).filter((text) => /[\x80-\xff]/.test(text))
  return texts.length > 0 && texts.every((text) => !/[\x80-\xff]/.test(text.replace(either, '')) && !(text.match(either) ?? []).every((bytes) => word.test(utf8(bytes))))
}

/** From its first byte to its last: a tar has no directory. One file of it at most is in memory. */
async function listTar(archive: File, listing: Listing, encoding: string | null): Promise<void> {
  const bytes = /gz$/i.test(archive.name) ? archive.stream().pipeThrough(new DecompressionStream('gzip')) : archive.stream()
  const reader = bytes.pipeThrough(createTarDecoder({ strict: true })).getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const { header, body } = next.value
    if (header.name.includes('\uFFFD')) {
      if (encoding === null) throw new NamesNotUtf8('its names are not UTF-8')
      throw new Error('this page reads the names of a tar in UTF-8 alone')
    }
    const isRead = header.type === 'file' && (await listing.add(header.name, header.size, () => new Response(body).blob()))
    if (!isRead) await body.cancel()
  }
}

/** A file with this name and size alone. */
function unread(name: string, size: number): File {
  return Object.defineProperty(new File([], name), 'size', { value: size })
}

function contentOf(entry: FileEntry): Promise<Blob> {
  return entry.getData(new BlobWriter())
}
