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

const named = new Set(['Enter', 'Backspace', 'Delete', 'Escape', 'Tab', 'Home', 'End', 'PageUp', 'PageDown', 'Insert'])

/**
 * The one name of a stroke in the key map, such as `A`, `Shift+1`, `Mod+Enter`, `?`; null for a modifier alone.
 *
 * Digits go by their place, letters by what they type (see `letter`), signs by what they type, without Shift in the name:
 * `?` is typed with Shift on one layout and without on another. Mod is Ctrl, or Command on a Mac.
 */
export function strokeName(stroke: Stroke): string | null {
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(stroke.code)?.[1]
  const numpad = stroke.code.startsWith('Numpad')
  const known = digit ?? letter(stroke)?.toUpperCase() ?? (isNamed(stroke.key) ? stroke.key : null)
  if (known === null) return sign(stroke)
  const shift = stroke.shiftKey && !(digit !== undefined && numpad) ? 'Shift+' : ''
  return `${isCommand(stroke) ? 'Mod+' : ''}${stroke.altKey ? 'Alt+' : ''}${shift}${known}`
}

function isNamed(key: string): boolean {
  return named.has(key) || key.startsWith('Arrow') || /^F\d+$/.test(key)
}

function sign(stroke: Stroke): string | null {
  if (stroke.key === ' ') return `${stroke.shiftKey ? 'Shift+' : ''}Space`
  return stroke.key.length === 1 ? `${isCommand(stroke) ? 'Mod+' : ''}${stroke.key}` : null
}

const printed: Record<string, string> = {
  Mod: /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl',
  Shift: '⇧',
  Alt: 'Alt',
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Backspace: '⌫',
  Delete: 'Del',
  Escape: 'Esc',
}

/** A stroke's name as it is printed on a key. */
export function strokeWords(name: string): string {
  if (name === '+') return '+'
  const parts = name.split('+').map((part) => printed[part] ?? part)
  return parts.length === 2 && parts[0] === '⇧' ? parts.join('') : parts.join(' ')
}

export function isCommand(stroke: Stroke): boolean {
  return stroke.ctrlKey || stroke.metaKey
}

/** Keys belong to a text field, a menu or an open dialog before they belong to the page. */
export function isTaken(event: KeyboardEvent): boolean {
  return isElsewhere(event) || (event.target instanceof HTMLElement && event.target.closest('input, textarea, select, [contenteditable="true"]') !== null)
}

/** Whether somebody else used the key already, or a dialog is open or about to be. */
export function isElsewhere(event: KeyboardEvent): boolean {
  return event.isComposing || event.defaultPrevented || document.querySelector('[role="dialog"], .dialog-pending') !== null
}
