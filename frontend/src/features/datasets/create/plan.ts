import type { TaskName } from '../../../shared/api/types'
import { taskTypes } from '../../../tasktypes'
import type { ChosenFiles } from '../exchange/chosen-files'
import { classFolders } from './split-names'

/** What the folders of the chosen files say. */
export interface Plan {
  /** A name for the dataset, out of the folder's. */
  name: string
  /** Innermost folders that may be classes, with how many images lie in each: by name. */
  folders: [name: string, images: number][]
  images: { name: string; data: File }[]
  annotations: { name: string; data: File }[]
  /** Have images of other kinds, which are among the images then, turned into PNG or JPEG. */
  convert: boolean
}

export function planOf({ files }: ChosenFiles, folder: string, convert = false): Plan {
  const images = files.filter(({ isImage }) => isImage)
  const counts = new Map<string, number>()
  const classes = classFolders(images.map(({ name }) => name))
  for (const { name } of images) {
    const folder = name.slice(0, Math.max(0, name.lastIndexOf('/')))
    const found = folder.slice(folder.lastIndexOf('/') + 1)
    if (classes.has(folder)) counts.set(found, (counts.get(found) ?? 0) + 1)
  }
  return {
    name: nameOf(folder),
    folders: [...counts].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true })),
    images,
    annotations: files.filter(({ isImage }) => !isImage),
    convert,
  }
}

/** `My Pets (2)` -> `my-pets-2`: what the server takes as a name; empty where nothing of it is left. */
export function nameOf(folder: string): string {
  return folder
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 100)
    .replace(/[^a-z0-9]+$/, '')
}

/** Why the server would refuse the name, with one that it takes (`worker_programs.names` is the same rule); null for one that it takes. */
export function nameFault(name: string): string | null {
  if (name === '' || name.length > 100 || /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/.test(name)) return /^\d+$/.test(name) ? 'must not be a number alone' : null
  const offered = nameOf(name)
  return `must be small letters, digits, dots and dashes${offered === '' ? '' : `: use ${offered}`}`
}

/** One a line, without doubles. */
export function classesOf(text: string): string[] {
  return [...new Set(text.split('\n').map((line) => line.trim().normalize('NFC')).filter(Boolean))]
}

/** The classes whose folders are labels: a folder says of an image what it shows, and neither where in it nor what else. */
export function folderLabels(task: TaskName, classes: readonly string[]): readonly string[] {
  return taskTypes[task].answer === 'class' ? classes : []
}

const mostFiles = 64
const mostBytes = 8_000_000

/** What one request carries: few enough that a lost connection costs little, and a file too large for that alone. */
export function batchesOf<File extends { data: { size: number } }>(files: readonly File[]): File[][] {
  const batches: File[][] = []
  let held = Infinity
  for (const file of files) {
    const last = batches.at(-1)
    if (last === undefined || last.length >= mostFiles || held + file.data.size > mostBytes) {
      batches.push([file])
      held = file.data.size
    } else {
      last.push(file)
      held += file.data.size
    }
  }
  return batches
}
