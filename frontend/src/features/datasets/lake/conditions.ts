/** Conditions as they are typed, with commas or line breaks between them. */
export function conditions(typed: string): string[] {
  return typed
    .split(/[,\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== '')
}

/** What may be asked of frames, in a sentence. */
export function columnWords(columns: Record<string, string>): string {
  const own = Object.entries(columns).map(([name, kind]) => `${name} (${kind})`)
  return `Of ${['width', 'height', 'size', ...own].join(', ')}; with commas between several.`
}
