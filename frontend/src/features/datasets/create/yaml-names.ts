/** The classes in the `names` of YOLO's `data.yaml`, as the server reads them (`formats.class_lists`): the texts that are written, by their numbers. Throws where the server refuses. */
export function namesOf(yaml: string): string[] {
  const text = yaml.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const value = /^names[ \t]*:([^\n]*(?:\n(?![A-Za-z_"'][^\n]*:)[^\n]*)*)/m.exec(text)?.[1]
  if (value === undefined) return []
  const entries = /^\s*(?:#[^\n]*\n\s*)*[[{]/.test(value) ? flow(value) : block(value)
  const byNumber = new Map<number, string>()
  for (const [key, name] of entries) {
    if (!/^\d+$/.test(key)) throw new Error(`names: ${key} is not a number of a class`)
    if (name === '') throw new Error(`names: class ${key} has an empty name`)
    if (byNumber.has(Number(key))) throw new Error(`names has the number ${Number(key)} twice`)
    byNumber.set(Number(key), name.normalize('NFC'))
  }
  const names = [...byNumber].sort(([a], [b]) => a - b)
  checkOnce(names)
  const count = /^nc[ \t]*:[ \t]*(['"]?)(\d+)\1[ \t]*(?:#.*)?$/m.exec(text)?.[2]
  const last = names.at(-1)?.[0] ?? -1
  if (count !== undefined && Number(count) !== names.length && Number(count) !== last + 1) throw new Error(`nc is ${count}, and names has ${names.length} classes`)
  return names.map(([, name]) => name)
}

/** A name at two numbers would be one class for both. */
export function checkOnce(names: readonly (readonly [number: number, name: string])[]): void {
  const numbers = new Map<string, number>()
  for (const [number, name] of names) {
    const first = numbers.get(name)
    if (first !== undefined) throw new Error(`classes ${first} and ${number} have one name, ${name}`)
    numbers.set(name, number)
  }
}

type Entry = [key: string, name: string]

/** `[a, 'b, c']` or `{0: a, "1": b}`, over one line or several. */
function flow(text: string): Entry[] {
  const word = /\s*(?:#[^\n]*\n\s*)*(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|([^\s,[\]{}"'#](?:[^,[\]{}\n:#]|:(?!\s)|(?<!\s)#)*))?\s*(?:#[^\n]*\n\s*)*([,[\]{}]|:(?=\s|$)|$)/y
  const entries: Entry[] = []
  let key: string | null = null
  let isOpen = false
  for (let found = word.exec(text); found; found = word.exec(text)) {
    const [whole, double, single, plain, end = ''] = found
    if (whole === '') break
    const name = textOf(double, single, plain)
    if (end === '[' || end === '{') {
      if (isOpen) throw new Error('names must be a list of names, or names by their numbers')
      isOpen = true
    } else if (end === ':') {
      key = name ?? ''
    } else {
      if (name !== null || key !== null) entries.push([key ?? String(entries.length), name ?? ''])
      key = null
      if (end === '') break
      if (end !== ',') return entries
    }
  }
  throw new Error('names is not YAML')
}

/** `- a` or `0: a` on a line each. */
function block(text: string): Entry[] {
  const lines = text.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#') && line !== '---' && line !== '...')
  return lines.map((line, at): Entry => {
    const item = /^-(?:\s+(.*))?$/.exec(line)
    if (item) return [String(at), scalar(item[1] ?? '')]
    const pair = /^(?:"([^"]*)"|'([^']*)'|([^:]*?))\s*:(?:\s+(.*))?$/.exec(line)
    if (!pair) throw new Error('names must be a list of names, or names by their numbers')
    return [pair[1] ?? pair[2] ?? pair[3] ?? '', scalar(pair[4] ?? '')]
  })
}

function scalar(text: string): string {
  const quoted = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')\s*(?:#.*)?$/.exec(text)
  return (quoted ? textOf(quoted[1], quoted[2], undefined) : text.replace(/(^|\s)#.*$/, '').trim()) ?? ''
}

/** Of a text in double quotes, in single quotes, or in none. */
function textOf(double: string | undefined, single: string | undefined, plain: string | undefined): string | null {
  if (double !== undefined) return double.replace(/\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))/g, (_, unicode: string | undefined, byte: string | undefined, char: string | undefined) => {
    const code = unicode ?? byte
    return code === undefined ? (escapes[char ?? ''] ?? char ?? '') : String.fromCodePoint(parseInt(code, 16))
  })
  return single?.replaceAll("''", "'") ?? plain?.trim() ?? null
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t' }
