/** Classes that annotation files tell by themselves, so that nobody has to type them. */

const mostBytes = 30_000_000

/** What annotation files tell: the classes, and whether it is tables of whole images' classes alone that do. */
export interface Told {
  names: readonly string[]
  wholeImages: boolean
}

/** Of YOLO's lists of names, COCO's categories and tables; none where no file says any. */
export async function knownClasses(files: readonly { name: string; data: File }[]): Promise<Told> {
  const found: string[] = []
  let wholeImages = false
  for (const { name, data } of files) {
    if (data.size > mostBytes) continue
    if (name.endsWith('.csv')) {
      const table = classesOfTable(await data.text())
      wholeImages = table.names.length > 0 && table.wholeImages && (wholeImages || found.length === 0)
      found.push(...table.names)
      continue
    }
    const before = found.length
    if (/(^|\/)(classes\.txt|[^/]*\.names)$/.test(name)) found.push(...(await data.text()).split('\n').map((line) => line.trim()))
    else if (name.endsWith('.json')) found.push(...categories(await data.text()))
    else if (/\.ya?ml$/.test(name)) found.push(...namesOf(await data.text()))
    if (found.length > before) wholeImages = false
  }
  return { names: [...new Set(found.filter(Boolean))], wholeImages }
}

// The columns of a table, as the server knows them (`formats.kinds.table`; its tests compare these lists).
const imageColumns = ['file', 'filename', 'file_name', 'filepath', 'file_path', 'image', 'image_name', 'image_path', 'image_id', 'img', 'path', 'name', 'key', 'id']
const classColumns = ['class', 'class_name', 'label', 'label_name', 'category', 'category_name']
const cornerColumns = ['xmin', 'x_min', 'x1', 'left']

/** Of a table with a column for the image and one for its class, as the server reads it (format `csv`). */
export function classesOfTable(text: string): Told {
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
  const inFolders = told.length === 0 || folders.some((folder) => told.includes(folder))
  if (inFolders && folders.length > 0) return { source: 'folders', names: [...new Set([...folders, ...told])] }
  return { source: told.length > 0 ? 'annotations' : 'nothing', names: [...told] }
}

/** `{"categories": [{"name": ..}]}`; none of another document. */
export function categories(text: string): string[] {
  try {
    const document = JSON.parse(text) as { categories?: unknown } | null
    const said = document?.categories
    return Array.isArray(said) ? said.flatMap((one: { name?: unknown } | null) => (typeof one?.name === 'string' ? [one.name] : [])) : []
  } catch {
    return []
  }
}

/** The `names` of a YOLO description, as a list in brackets, with dashes or with numbers. */
export function namesOf(yaml: string): string[] {
  const inline = /^names:\s*\[(.*)\]\s*$/m.exec(yaml)?.[1]
  if (inline !== undefined) return inline.split(',').map(bare)
  const lines = /^names:\s*\n((?:\s+\S.*\n?|-\s.*\n?)+)/m.exec(yaml)?.[1] ?? ''
  return lines.split('\n').map((line) => bare(line.replace(/^\s*(?:-|\d+:)/, ''))).filter(Boolean)
}

function bare(text: string): string {
  return text.trim().replace(/^(['"])(.*)\1$/, '$2')
}
