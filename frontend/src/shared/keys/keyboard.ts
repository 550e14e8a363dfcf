/** The parts of a KeyboardEvent that decide what a key means; a plain object in tests. */
export type Stroke = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'isComposing'>

/**
 * The class that a digit key stands for: 1-9, 0 are the first ten (0..9), with Shift the next ten (10..19).
 * Read from `code`, because AZERTY types digits only with Shift.
 */
export function digitIndex(stroke: Stroke): number | null {
  if (stroke.ctrlKey || stroke.metaKey || stroke.altKey) return null
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(stroke.code)?.[1]
  if (digit === undefined) return null
  const index = digit === '0' ? 9 : Number(digit) - 1
  return stroke.shiftKey && stroke.code.startsWith('Digit') ? index + 10 : index
}

/** The key that chooses the class at this index, as it is printed on a button; null past the twentieth. */
export function digitName(index: number): string | null {
  if (index >= 20) return null
  const digit = String((index + 1) % 10)
  return index < 10 ? digit : `⇧${digit}`
}

/** The Latin letter of a stroke, lower case; on other alphabets the letter in that place of a Latin keyboard. */
export function letter(stroke: Stroke): string | null {
  if (/^[a-z]$/i.test(stroke.key)) return stroke.key.toLowerCase()
  const typesAnotherAlphabet = stroke.key.length === 1 && /\p{L}/u.test(stroke.key)
  const place = typesAnotherAlphabet ? /^Key([A-Z])$/.exec(stroke.code)?.[1] : undefined
  return place?.toLowerCase() ?? null
}

export function isCommand(stroke: Stroke): boolean {
  return stroke.ctrlKey || stroke.metaKey
}

/** Keys belong to a text field, a menu or an open dialog before they belong to the page. */
export function isTaken(event: KeyboardEvent): boolean {
  if (event.isComposing || event.defaultPrevented) return true
  if (document.querySelector('[role="dialog"]') !== null) return true
  const target = event.target
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable="true"]') !== null
}
