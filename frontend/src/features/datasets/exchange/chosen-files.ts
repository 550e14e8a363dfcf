/** What was dropped or picked, sorted into what a dataset can use and what it can't. */
export interface ChosenFiles {
  /** Images and annotations by their path below the dropped folder. */
  files: { name: string; data: File }[]
  images: number
  bytes: number
  /** Names of what is left at home. */
  left: string[]
}

const imageNames = /\.(bmp|gif|jpe?g|png|tiff?|webp)$/i
const annotations = /\.(data|jsonl?|names|txt|xml|ya?ml)$/i

export function isImage(path: string): boolean {
  return imageNames.test(path)
}

/** `found` are files with their path; hidden ones and other kinds are left out. The order is that of the names. */
export function sorted(found: readonly { path: string; file: File }[]): ChosenFiles {
  const chosen: ChosenFiles = { files: [], images: 0, bytes: 0, left: [] }
  for (const { path, file } of [...found].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const hidden = path.split('/').some((part) => part.startsWith('.'))
    if (hidden || !(isImage(path) || annotations.test(path))) {
      chosen.left.push(path)
      continue
    }
    chosen.files.push({ name: path, data: file })
    chosen.images += isImage(path) ? 1 : 0
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
export function picked(list: FileList): { path: string; file: File }[] {
  return Array.from(list, (file) => ({ path: file.webkitRelativePath || file.name, file }))
}

/** Everything that was dropped, folders to their depths. Must be called while the drop event is being handled. */
export async function dropped(transfer: DataTransfer): Promise<{ path: string; file: File }[]> {
  // The entries are gone once the event is over: all are taken before anything is awaited.
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null)
  return (await Promise.all(entries.map(walk))).flat()
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
