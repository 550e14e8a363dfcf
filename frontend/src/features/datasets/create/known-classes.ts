/** Classes that annotation files tell by themselves, so that nobody has to type them. */

const mostBytes = 30_000_000

/** Of YOLO's lists of names and COCO's categories; none where no file says any. */
export async function knownClasses(files: readonly { name: string; data: File }[]): Promise<string[]> {
  const found: string[] = []
  for (const { name, data } of files) {
    if (data.size > mostBytes) continue
    if (/(^|\/)(classes\.txt|[^/]*\.names)$/.test(name)) found.push(...(await data.text()).split('\n').map((line) => line.trim()))
    else if (name.endsWith('.json')) found.push(...categories(await data.text()))
    else if (/\.ya?ml$/.test(name)) found.push(...namesOf(await data.text()))
  }
  return [...new Set(found.filter(Boolean))]
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
