/** Conditions as they are typed, with commas or line breaks between them; one in double quotes may have commas itself. */
export function conditions(typed: string): string[] {
  return Array.from(typed.matchAll(/\s*(?:"((?:[^"]|"")*)"\s*(?=[,\n]|$)|([^,\n]+))/g), ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? (plain ?? '').trim()).filter((one) => one.trim() !== '')
}

/** What may be asked of frames, in a sentence. */
export function columnWords(columns: Record<string, string>): string {
  const own = Object.entries(columns).map(([name, kind]) => `${name} (${kind})`)
  return `Of ${['width', 'height', 'size', ...own].join(', ')}; with commas between several; one with a comma in it goes in "double quotes".`
}
