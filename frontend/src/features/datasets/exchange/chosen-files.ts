import { type FileKind, kindByName, kindOf } from './file-kinds'

const atOnce = 100

/** A file as it was dropped or picked, with what it is. */
export interface FoundFile {
  path: string
  file: File
  kind?: FileKind
}

export interface LeftFile {
  name: string
  reason: string
}

/** What was dropped or picked, sorted into what a dataset can use and what it can't. */
export interface ChosenFiles {
  /** Images and annotations by their path below the dropped folder. */
  files: { name: string; data: File; isImage: boolean }[]
  images: number
  bytes: number
  /** What is left at home, and why. */
  left: LeftFile[]
  /** How many of all are taken only converted. */
  convertible: number
}

const archiveNames = /\.(zip|tar|tar\.gz|tgz)$/i
const archiveReason = 'an archive must be added alone'

/** The archive, where one was chosen and nothing else. */
export function archiveOf(found: readonly { path: string; file: File }[]): File | null {
  const [only] = found
  return found.length === 1 && only && archiveNames.test(only.path) ? only.file : null
}

/** The order is that of the names. With `convert`, what the server converts on request is an image; null: it is not asked for that. */
export function sorted(found: readonly FoundFile[], convert: boolean | null = false): ChosenFiles {
  const chosen: ChosenFiles = { files: [], images: 0, bytes: 0, left: [], convertible: 0 }
  for (const { path, file, kind: known } of [...found].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const kind = known ?? kindByName(path) ?? { kind: 'left', reason: 'it is neither an image nor annotations' }
    const isConvertible = kind.kind === 'left' && kind.convertible === true
    chosen.convertible += isConvertible ? 1 : 0
    if (kind.kind === 'left' && !(convert === true && isConvertible)) {
      const reason = isConvertible && convert !== null ? `${kind.reason}, or choose “Convert”` : kind.reason
      chosen.left.push({ name: path, reason: archiveNames.test(path) ? archiveReason : reason })
      continue
    }
    const isImage = kind.kind !== 'annotations'
    chosen.files.push({ name: path, data: file, isImage })
    chosen.images += isImage ? 1 : 0
    chosen.bytes += file.size
  }
  return chosen
}

/**
 * Without the folder that all paths begin with: `pets/train/cat/1.png` becomes `train/cat/1.png`, as from the command line.
 * A split or class at the top stays, for it says something.
 */
export function belowOneFolder(paths: readonly string[], meaningful: ReadonlySet<string>): (path: string) => string {
  const [first] = paths
  const top = first?.slice(0, first.indexOf('/') + 1) ?? ''
  const alone = top !== '' && !meaningful.has(top.slice(0, -1)) && paths.every((path) => path.startsWith(top))
  return alone ? (path) => path.slice(top.length) : (path) => path
}

/** Files of an `<input type=file>`; one that picks folders gives their paths too. */
export function picked(list: FileList): Promise<FoundFile[]> {
  return inspected(Array.from(list, (file) => ({ path: file.webkitRelativePath || file.name, file })))
}

/** Everything that was dropped, folders to their depths. Must be called while the drop event is being handled. */
export async function dropped(transfer: DataTransfer): Promise<FoundFile[]> {
  // The entries are gone once the event is over: all are taken before anything is awaited.
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  return inspected((await Promise.all(entries.map(walk))).flat())
}

/** With what each is: files whose names do not say are read a little, some at a time. */
async function inspected(found: readonly FoundFile[]): Promise<FoundFile[]> {
  const looked: FoundFile[] = []
  for (let at = 0; at < found.length; at += atOnce) {
    const some = found.slice(at, at + atOnce)
    looked.push(...(await Promise.all(some.map(async (one) => ({ ...one, kind: await kindOf(one.path, one.file) })))))
  }
  return looked
}

async function walk(entry: FileSystemEntry): Promise<{ path: string; file: File }[]> {
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return [{ path: entry.fullPath.replace(/^\//, ''), file }]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const found: { path: string; file: File }[] = []
  // A reader gives a hundred entries at a time, and none at the end.
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (batch.length === 0) return found
    for (const inside of batch) found.push(...(await walk(inside)))
  }
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}
