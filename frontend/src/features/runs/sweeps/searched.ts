import type { NewSweep } from '../../../shared/api/types'

/** A setting to search, as it is typed. */
export interface Searched {
  /** Tells rows apart while they are typed. */
  key: number
  setting: string
  values: string
}

type Setting = NewSweep['space'][string]

const range = /^([^\s,:]+?)\.\.([^\s,:]+)(?:(?:\s*:\s*|\s+)(?:(log)|step\s+(\S+)|(\S+)))?$/

function number(text: string): number | null {
  const value = text.trim() === '' ? NaN : Number(text)
  return Number.isFinite(value) ? value : null
}

/** `0.001..0.1 log`, `16..64 step 16` (or `:log`, `:16`, as for `lode`) or `adamw, sgd`; null for what is none of these. */
export function readValues(typed: string): Setting | null {
  const text = typed.trim()
  if (text === '') return null
  if (!text.includes('..')) return { choices: text.split(',').map((word) => choice(word.trim())) }
  const match = range.exec(text)
  if (!match) return null
  const [, from = '', to = '', log, stepped, bare] = match
  const [low, high] = [number(from), number(to)]
  const by = stepped ?? bare
  const step = by === undefined ? undefined : number(by)
  if (low === null || high === null || step === null) return null
  return { low, high, ...(log === undefined ? {} : { log: true }), ...(step === undefined ? {} : { step }) }
}

/** JSON where it can be read as such, else a word. */
function choice(word: string): unknown {
  try {
    return JSON.parse(word) as unknown
  } catch {
    return word
  }
}

/** As a range or choices are typed. */
export function valuesWords(setting: { choices?: unknown[]; low?: number; high?: number; step?: number | null; log?: boolean }): string {
  if (setting.choices) return setting.choices.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', ')
  const how = setting.log ? ' log' : typeof setting.step === 'number' ? ` step ${setting.step}` : ''
  return `${setting.low ?? ''}..${setting.high ?? ''}${how}`
}

/** What is wrong with the rows, by the field's name. */
export function faultsOf(rows: readonly Searched[]): Record<string, string | null> {
  const names = rows.map(({ setting }) => setting.trim())
  return Object.fromEntries(
    rows.flatMap(({ key, setting, values }, place) => {
      const name = setting.trim()
      const twice = name !== '' && names.indexOf(name) !== place
      const unread = readValues(values) === null ? 'Type a range, such as 0.001..0.1 log or 16..64 step 16, or choices with commas between them.' : null
      return [
        [`setting.${key}`, name === '' ? 'Name the setting to search.' : twice ? 'It is searched above already.' : null],
        [valuesField(name, key), unread],
      ]
    }),
  )
}

/** The server's name of what a row holds. */
export function valuesField(setting: string, key: number): string {
  const name = setting.trim()
  return name === '' ? `values.${key}` : `space.${name}`
}

/** What POST /sweeps takes of rows without a fault. */
export function spaceOf(rows: readonly Searched[]): NewSweep['space'] {
  return Object.fromEntries(rows.map(({ setting, values }) => [setting.trim(), readValues(values) ?? {}]))
}
