import type { GridSearch } from '../routes/grid-search'

const plain = /^[\p{L}\p{N}_./@:*?+-]+$/u
const keywords = new Set(['and', 'or', 'not', 'in', 'exists', 'prefix', 'glob', 'contains'])

/** A text as the grammar of filters reads it back. */
export function quoted(text: string): string {
  return plain.test(text) && !keywords.has(text.toLowerCase()) ? text : JSON.stringify(text)
}

/** What the grid shows as one filter; empty where it shows everything. */
export function textOf(search: GridSearch): string {
  const parts = [
    ...(search.slice === undefined ? [] : [`slice = ${quoted(search.slice)}`]),
    ...oneOf('split', search.split),
    ...oneOf('class', search.label),
    ...oneOf('tag', search.tag),
    ...(search.labelled === undefined ? [] : [search.labelled ? 'labelled' : 'not labelled']),
    ...(search.q === undefined ? [] : [`key contains ${quoted(search.q)}`]),
    ...predicted(search),
    ...(search.ids === undefined ? [] : [`samples in (${search.ids.split(',').join(', ')})`]),
  ]
  return both(parts.join(' and '), search.filter ?? '')
}

/** What is asked of a model's predictions; only to show them asks nothing. */
function predicted({ model, predicted: classes, correct, above, below }: GridSearch): string[] {
  const parts = [
    ...oneOf('class', classes),
    ...(above === undefined ? [] : [`confidence >= ${above}`]),
    ...(below === undefined ? [] : [`confidence <= ${below}`]),
    ...(correct === undefined ? [] : [`correct = ${correct}`]),
  ]
  return model === undefined || parts.length === 0 ? [] : [`prediction(model = ${quoted(model)}, ${parts.join(', ')})`]
}

function oneOf(field: string, values: readonly string[] = []): string[] {
  if (values.length === 0) return []
  const texts = values.map(quoted).join(', ')
  return [values.length === 1 ? `${field} = ${texts}` : `${field} in (${texts})`]
}

/** The filter that both hold for; either may be empty. */
export function both(one: string, other: string): string {
  if (one === '' || other === '') return one + other
  return `${closed(one)} and ${closed(other)}`
}

/** In parentheses, where an `or` would otherwise reach out. */
function closed(text: string): string {
  return /\bor\b/i.test(text) ? `(${text})` : text
}
