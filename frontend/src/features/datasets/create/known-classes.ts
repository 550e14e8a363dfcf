/** Classes that annotation files tell by themselves, so that nobody has to type them. (`formats.class_names` is the same rule for `lode`.) */

import { checkOnce, namesOf } from './yaml-names'

/** A larger file is not read for its classes, nor are more files than this. */
export const mostBytes = 30_000_000
export const mostFiles = 5000

/** What annotation files tell: the classes, and whether it is tables of whole images' classes alone that do. */
export interface Told {
  names: readonly string[]
  wholeImages: boolean
  /** How many annotation files were too large, or too many, to be read for their classes. */
  unread: number
  /** What is wrong with lists of classes, which are not read. */
  faults: readonly string[]
}

/** Of YOLO's lists of names, COCO's categories, the objects of VOC, CVAT, LabelMe and Label Studio, and tables; none where no file says any. */
export async function knownClasses(files: readonly { name: string; data: File }[]): Promise<Told> {
  const found: string[] = []
  const faults: string[] = []
  let wholeImages = false
  const telling = files.filter(({ name }) => mayTell(name))
  let unread = Math.max(0, telling.length - mostFiles)
  for (const { name, data } of telling.slice(0, mostFiles)) {
    if (data.size > mostBytes) {
      unread += 1
      continue
    }
    if (descriptionsName.test(name)) {
      found.push(...tableOf(await data.text(), ',').map((row) => (row[1] ?? '').trim()))
      wholeImages = false
      continue
    }
    if (name.endsWith('.csv')) {
      const table = classesOfTable(await data.text())
      wholeImages = table.names.length > 0 && table.wholeImages && (wholeImages || found.length === 0)
      found.push(...table.names)
      continue
    }
    const before = found.length
    try {
      if (listName.test(name) || name.endsWith('.names')) found.push(...listed(await data.text()))
      else if (/\.ya?ml$/.test(name)) found.push(...namesOf(await data.text()))
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
    if (kittiName.test(name)) found.push(...classesOfKitti(await data.text()))
    else if (name.endsWith('.json')) found.push(...classesOfJson(await data.text()))
    else if (name.endsWith('.xml')) found.push(...classesOfXml(await data.text()))
    if (found.length > before) wholeImages = false
  }
  return { names: [...new Set(found.filter(Boolean).map((name) => name.normalize('NFC')))], wholeImages, unread, faults }
}

/** Open Images' list of codes and names. */
const descriptionsName = /(^|\/)class-descriptions[^/]*\.csv$/
const kittiName = /(^|\/)label_[0-3]\/[^/]+\.txt$/i
const listName = /(^|\/)(classes|names|labels|obj_names)\.txt$/

/** YOLO's texts about one image hold the numbers of classes, KITTI's their names. */
function mayTell(name: string): boolean {
  return !name.endsWith('.txt') || listName.test(name) || kittiName.test(name)
}

/** The class of each line of KITTI's, as `_width` of `formats.kinds.kitti` tells it; `DontCare` is none. */
export function classesOfKitti(text: string): string[] {
  const isNumber = (word: string) => word !== '' && Number.isFinite(Number(word))
  return text.split('\n').flatMap((line) => {
    const words = line.trim().split(/\s+/)
    const [withScore, without] = [words.length - 15, words.length - 14].map((width) => width > 0 && words.slice(width).every(isNumber) && width)
    const truncated = withScore ? Number(words[withScore]) : NaN
    const width = without && withScore ? (truncated === -1 || (truncated >= 0 && truncated <= 1) ? withScore : without) : withScore || without
    return width && words[0] !== 'DontCare' ? [words.slice(0, width).join(' ')] : []
  })
}

// The columns of a table, as the server knows them (`formats.kinds.table`; its tests compare these lists).
const imageColumns = ['file', 'filename', 'file_name', 'filepath', 'file_path', 'image', 'image_name', 'image_path', 'image_id', 'img', 'path', 'name', 'key', 'id']
const classColumns = ['class', 'class_name', 'label', 'label_name', 'category', 'category_name']
const cornerColumns = ['xmin', 'x_min', 'x1', 'left']

/** Of a table with a column for the image and one for its class, as the server reads it (format `csv`). */
export function classesOfTable(text: string): Omit<Told, 'unread' | 'faults'> {
  for (const delimiter of [',', ';', '\t']) {
    const [head = [], ...rows] = tableOf(text, delimiter)
    const columns = head.map((name) => name.trim().toLowerCase())
    const at = classColumns.map((name) => columns.indexOf(name)).find((place) => place >= 0)
    if (at === undefined || !imageColumns.some((name) => columns.includes(name))) continue
    const corners = cornerColumns.some((name) => columns.includes(name))
    return { names: [...new Set(rows.map((row) => (row[at] ?? '').trim()))].filter(Boolean), wholeImages: !corners }
  }
  return { names: [], wholeImages: false }
}

/** The cells of a CSV, in quotes or not. */
function tableOf(text: string, delimiter: string): string[][] {
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${delimiter}\\r\\n]*))(${delimiter}|\\r?\\n|$)`, 'y')
  const rows: string[][] = [[]]
  while (cell.lastIndex < text.length) {
    const found = cell.exec(text)
    if (!found) break
    rows.at(-1)?.push((found[1] ?? found[2] ?? '').replaceAll('""', '"'))
    if (found[3] !== delimiter) rows.push([])
  }
  return rows
}

/** Folders are classes unless annotation files name others: `cam_left/1.jpg` beside COCO's categories says where, not what. */
export function likelyClasses(folders: readonly string[], told: readonly string[]): { source: 'folders' | 'annotations' | 'nothing'; names: string[] } {
  const inFolders = told.length === 0 ? folders.length > 1 : folders.some((folder) => told.includes(folder))
  if (inFolders) return { source: 'folders', names: [...new Set([...folders, ...told])] }
  return { source: told.length > 0 ? 'annotations' : 'nothing', names: [...told] }
}

/** COCO's `{"categories": [{"name": ..}]}`, LabelMe's `{"shapes": [{"label": ..}]}` and Label Studio's tasks; none of another document. */
export function classesOfJson(text: string): string[] {
  try {
    const document: unknown = JSON.parse(text)
    if (Array.isArray(document)) return document.flatMap(chosenLabels)
    return [...textsOf(document, 'categories', 'name'), ...textsOf(document, 'shapes', 'label')]
  } catch {
    return []
  }
}

/** The text `field` of each item of the list `name`. */
function textsOf(document: unknown, name: string, field: string): string[] {
  const list = fieldOf(document, name)
  return Array.isArray(list) ? list.map((one) => fieldOf(one, field)).filter((text) => typeof text === 'string') : []
}

/** What the answers to a task of Label Studio name: `rectanglelabels`, `polygonlabels`, `choices`. */
function chosenLabels(task: unknown): string[] {
  const list = (document: unknown, name: string): unknown[] => [fieldOf(document, name)].flat()
  const values = list(task, 'annotations').flatMap((answer) => list(answer, 'result')).map((part) => fieldOf(part, 'value'))
  return values.flatMap((value) => ['rectanglelabels', 'polygonlabels', 'choices'].flatMap((kind) => list(value, kind))).filter((label) => typeof label === 'string')
}

function fieldOf(document: unknown, name: string): unknown {
  return typeof document === 'object' && document !== null ? (document as Record<string, unknown>)[name] : undefined
}

/** The objects of VOC (`<object><name>`) and the labels of CVAT (`<label><name>`). */
export function classesOfXml(text: string): string[] {
  const document = new DOMParser().parseFromString(text, 'application/xml')
  return Array.from(document.querySelectorAll('object > name, labels > label > name'), (name) => name.textContent.trim())
}

/** A list of classes, one a line. Throws where a name stands twice. */
function listed(text: string): string[] {
  const names = text.split('\n').map((line) => line.trim().normalize('NFC')).filter(Boolean)
  checkOnce([...names.entries()])
  return names
}
