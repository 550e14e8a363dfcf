const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const oneDecimal = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

export function count(value: number): string {
  return whole.format(value)
}

const withSign = new Intl.NumberFormat('en', { maximumFractionDigits: 0, signDisplay: 'exceptZero' })

/** `12` -> `+12`, `-3` -> `−3`, with the minus that is as wide as the plus. */
export function signed(value: number): string {
  return withSign.format(value).replace('-', '−')
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `48_200_000` -> `48.2 MB`. */
export function bytes(size: number): string {
  let place = 0
  let amount = size
  for (; amount >= 1_000 && place < units.length - 1; place += 1) amount /= 1_000
  return `${(amount >= 100 || place === 0 ? whole : oneDecimal).format(amount)} ${units[place] ?? 'TB'}`
}

/** `0.9312` -> `93.1 %`. */
export function percent(share: number, digits = 1): string {
  return `${(share * 100).toFixed(digits)} %`
}

/** Under it a rate is said by the minute: `0/s` would say that nothing happens. */
const slow = 0.5

export function rate(perSecond: number, unit = ''): string {
  if (perSecond > 0 && perSecond < slow) return `${oneDecimal.format(perSecond * 60)}${unit ? ` ${unit}` : ''}/min`
  const number = perSecond >= 100 ? whole.format(perSecond) : oneDecimal.format(perSecond)
  return `${number}${unit ? ` ${unit}` : ''}/s`
}

/** `0.0353` -> `0.035 ms`, `12.4` -> `12.4 ms`: two digits that count. */
export function milliseconds(value: number): string {
  return `${value >= 10 ? value.toFixed(1) : Number(value.toPrecision(2))} ms`
}

/** Seconds in words that fit a table cell: `8.2 s`, `2 min 05 s`, `1 h 10 min`. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${oneDecimal.format(seconds)} s`
  if (seconds < 60) return `${whole.format(seconds)} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${String(Math.floor(seconds % 60)).padStart(2, '0')} s`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

/** A countdown clock: `14:32`. */
export function clock(seconds: number): string {
  const left = Math.max(0, Math.round(seconds))
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`
}

/** `in 4 min`-style waits, rounded up so that nobody comes back too early. */
export function wait(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.ceil(seconds))} s`
  return `${Math.ceil(seconds / 60)} min`
}

/** The first letter as a title has it. */
export function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function plural(amount: number, one: string, many = `${one}s`): string {
  return `${count(amount)} ${amount === 1 ? one : many}`
}

const stamp = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

export function when(iso: string): string {
  return stamp.format(new Date(iso))
}
