/** A file and the name it shall have in the archive, with slashes. */
export interface Member {
  name: string
  data: Blob
}

const block = 512
const plainName = 100
const biggestPlainSize = 0o77777777777

/**
 * An uncompressed tar archive as one blob. Nothing is read here: the browser takes the files' bytes from the disk when it
 * sends them, so a folder of any size costs no memory. The same files always make the same bytes.
 */
export function tarOf(members: readonly Member[]): Blob {
  const parts: BlobPart[] = []
  for (const { name, data } of members) {
    const extended = extension(name, data.size)
    if (extended.length > 0) parts.push(header('PaxHeader', extended.length, 'x'), extended, padding(extended.length))
    parts.push(header(name, data.size, '0'), data, padding(data.size))
  }
  parts.push(new Uint8Array(2 * block))
  return new Blob(parts, { type: 'application/x-tar' })
}

const encoder = new TextEncoder()

/** pax records for what the plain header has no room or no letters for; empty where it suffices. */
function extension(name: string, size: number): Uint8Array<ArrayBuffer> {
  const encoded = encoder.encode(name)
  const records: string[] = []
  if (encoded.length > plainName || encoded.length !== name.length) records.push(record('path', name))
  if (size > biggestPlainSize) records.push(record('size', String(size)))
  return encoder.encode(records.join(''))
}

/** `LENGTH KEY=VALUE\n`, where LENGTH counts the whole record, itself included. */
function record(key: string, value: string): string {
  const rest = encoder.encode(` ${key}=${value}\n`).length
  let length = rest + String(rest).length
  if (rest + String(length).length > length) length += 1
  return `${length} ${key}=${value}\n`
}

function header(name: string, size: number, kind: '0' | 'x'): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(block)
  const write = (text: string, at: number) => bytes.set(encoder.encode(text), at)
  bytes.set(encoder.encode(name).subarray(0, plainName), 0)
  write('0000644\0', 100)
  write('0000000\0', 108)
  write('0000000\0', 116)
  write(`${Math.min(size, biggestPlainSize).toString(8).padStart(11, '0')}\0`, 124)
  write('00000000000\0', 136)
  write('        ', 148)
  write(kind, 156)
  write('ustar\0' + '00', 257)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}

function padding(size: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array((block - (size % block)) % block)
}
