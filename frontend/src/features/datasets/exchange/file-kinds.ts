/** The server's rule (`programs.filekinds`) for browsers: which files are images, which are annotations, which stay behind, and which of these it converts on request. */
export type FileKind = { kind: 'image' } | { kind: 'annotations' } | { kind: 'left'; reason: string; convertible?: true }

/** As many of a file's first bytes tell its kind. */
export const headBytes = 1024

const imageNames = /\.(jfif|jpe|jpe?g|png|webp)$/i
const annotationNames = /\.(csv|data|jsonl?|names|ndjson|txt|xml|ya?ml)$/i
const frames = 'send single frames as JPEG, PNG or WebP'
const convert = 'convert it to JPEG, PNG or WebP'
const others: readonly (readonly [magic: string, name: string, advice: string])[] = [
  ['GIF8', 'GIF', convert],
  ['II*\0', 'TIFF', convert],
  ['MM\0*', 'TIFF', convert],
  ['II+\0', 'TIFF', convert],
  ['MM\0+', 'TIFF', convert],
  ['%PDF', 'PDF', convert],
  ['8BPS', 'Photoshop', convert],
  ['\0\0\0\x0cjP  ', 'JPEG 2000', convert],
  ['\xff\x0a', 'JPEG XL', convert],
  ['\0\0\0\x0cJXL ', 'JPEG XL', convert],
  ['\x1aE\xdf\xa3', 'WebM or Matroska video', frames],
]
/** What the server turns into PNG or JPEG for who asks for it. */
const converted = new Set(['TIFF', 'BMP', 'GIF', 'HEIC', 'AVIF'])
const bmpHeaders = new Set([12, 16, 40, 52, 56, 64, 108, 124])
const heic = new Set(['heic', 'heix', 'hevc', 'hevx', 'heim', 'heis', 'mif1', 'msf1'])
const avif = new Set(['avif', 'avis'])

/** The name alone speaks for a file: the server looks at its bytes. */
export function kindByName(path: string): FileKind | null {
  if (path.split('/').some((part) => part.startsWith('.'))) return left('hidden files are not taken; rename it')
  if (imageNames.test(path)) return { kind: 'image' }
  return annotationNames.test(path) ? { kind: 'annotations' } : null
}

/** What a file is whose name says nothing, by its first bytes. */
export function kindByContent(head: Uint8Array): FileKind {
  const text = String.fromCharCode(...head.subarray(0, headBytes))
  if (text === '') return left('the file is empty')
  if (text.startsWith('\xff\xd8\xff') || text.startsWith('\x89PNG\r\n\x1a\n') || riff(text, 'WEBP')) return { kind: 'image' }
  const [name, advice] = otherKind(text) ?? [null, null]
  if (name === null) return left('its bytes are neither an image nor annotations')
  return { ...left(`${name} is not taken: ${advice}`), ...(converted.has(name) ? { convertible: true } : {}) }
}

/** What a file is, read where its name does not say. */
export async function kindOf(path: string, file: Blob): Promise<FileKind> {
  const named = kindByName(path)
  if (named !== null) return named
  try {
    return kindByContent(new Uint8Array(await file.slice(0, headBytes).arrayBuffer()))
  } catch {
    return left('the browser cannot read it')
  }
}

function otherKind(text: string): [name: string, advice: string] | null {
  if (text.slice(4, 8) === 'ftyp') return byBrand(text)
  if (riff(text, 'AVI ')) return ['AVI video', frames]
  // Two letters begin many a text: the size of the header tells.
  if (text.startsWith('BM') && text.slice(15, 18) === '\0\0\0' && bmpHeaders.has(text.charCodeAt(14))) return ['BMP', convert]
  const found = others.find(([magic]) => text.startsWith(magic))
  if (found) return [found[1], found[2]]
  return text.toLowerCase().includes('<svg') ? ['SVG', convert] : null
}

/** ISO base media files say in their brands what they are. */
function byBrand(text: string): [name: string, advice: string] {
  const size = Math.min(text.slice(0, 4).split('').reduce((sum, char) => sum * 256 + char.charCodeAt(0), 0), text.length)
  const brands = [text.slice(8, 12)]
  for (let at = 16; at < size; at += 4) brands.push(text.slice(at, at + 4))
  if (brands.some((brand) => avif.has(brand))) return ['AVIF', convert]
  if (brands.some((brand) => heic.has(brand))) return ['HEIC', convert]
  if (brands[0] === 'qt  ') return ['QuickTime video', frames]
  return brands[0] === 'crx ' ? ["Canon's raw format", convert] : ['MP4 video', frames]
}

function riff(text: string, form: string): boolean {
  return text.startsWith('RIFF') && text.slice(8, 12) === form
}

function left(reason: string): { kind: 'left'; reason: string } {
  return { kind: 'left', reason }
}
