import type { FilterField, FilterVocabulary } from '../api/types'
import { quoted } from './text'

export interface CompletionOption {
  text: string
  /** What it means, in a few words. */
  words: string
}

export interface Completion {
  /** Where what is completed begins. */
  from: number
  options: CompletionOption[]
  /** What stands there may be all of it: nothing that could follow has been begun. */
  isWhole: boolean
}

const most = 12
const token = /"(?:[^"\\]|\\.)*"|'[^']*'|<=|>=|!=|[<>=(),]|[^\s<>=!(),"']+/g
const comparisons = new Set(['=', '!=', '<', '<=', '>', '>=', 'prefix', 'glob', 'contains'])
const joints = new Set(['and', 'or', 'not', '('])

/** What may be typed at the end of `text`, which stands before the cursor. */
export function completionOf(text: string, vocabulary: FilterVocabulary): Completion {
  const quotes = text.replaceAll(/\\./g, '').split('"').length - 1
  const typed = (quotes % 2 === 1 ? /"[^"]*$/ : /[^\s<>=!(),"']*$/).exec(text)?.[0] ?? ''
  const from = text.length - typed.length
  const before = text.slice(0, from).match(token) ?? []
  const wanted = typed.replace(/^"/, '').toLowerCase()
  const next = optionsAfter(before, vocabulary)
  const fitting = next.filter((option) => option.text.replace(/^"/, '').toLowerCase().includes(wanted) && option.text !== typed)
  const starts = (option: CompletionOption) => (option.text.replace(/^"/, '').toLowerCase().startsWith(wanted) ? 0 : 1)
  return { from, options: fitting.sort((a, b) => starts(a) - starts(b)).slice(0, most), isWhole: typed === '' && next === joined }
}

function optionsAfter(before: string[], vocabulary: FilterVocabulary): CompletionOption[] {
  const fields = insideObjects(before, vocabulary) ? vocabulary.object_fields : vocabulary.fields
  const last = before.at(-1)?.toLowerCase()
  if (last !== undefined && comparisons.has(last)) return valuesOf(fields, before.at(-2))
  const list = listed(before)
  if (list !== null) return last === '(' || last === ',' ? valuesOf(fields, list) : []
  if (last === undefined || joints.has(last)) return names(fields, fields === vocabulary.fields ? vocabulary : null)
  const named = fields.find(({ name }) => name === before.at(-1))
  if (named && !comparisons.has(before.at(-2)?.toLowerCase() ?? '')) return operators(named)
  if (vocabulary.objects.some(({ name }) => name === last)) return [...plain(['(', '>=', '=', '<']), ...joined]
  if (last === 'in') return plain(['('])
  return joined
}

const joined: CompletionOption[] = [
  { text: 'and', words: 'both hold' },
  { text: 'or', words: 'one of them holds' },
]

function plain(texts: string[]): CompletionOption[] {
  return texts.map((text) => ({ text, words: '' }))
}

function names(fields: FilterField[], outside: FilterVocabulary | null): CompletionOption[] {
  const objects = outside?.objects ?? []
  return [...fields, ...objects].map(({ name, words }) => ({ text: name, words })).concat({ text: 'not', words: 'does not hold' })
}

function operators({ kind, operators: known }: FilterField): CompletionOption[] {
  return kind === 'flag' ? joined : plain(known)
}

function valuesOf(fields: FilterField[], name: string | undefined): CompletionOption[] {
  const field = fields.find((each) => each.name === name)
  if (field?.kind === 'flag') return plain(['true', 'false'])
  return (field?.values ?? []).map((value) => ({ text: quoted(value), words: '' }))
}

/** The field whose list of values is open here: `class in (car, `. */
function listed(before: string[]): string | null {
  const open = before.lastIndexOf('(')
  if (open < 0 || before.indexOf(')', open) >= 0 || before[open - 1]?.toLowerCase() !== 'in') return null
  return before[before[open - 2]?.toLowerCase() === 'not' ? open - 3 : open - 2] ?? null
}

/** A parenthesis behind `boxes` or its like is open. */
function insideObjects(before: string[], { objects }: FilterVocabulary): boolean {
  const nouns = new Set(objects.map(({ name }) => name))
  const open: boolean[] = []
  before.forEach((each, place) => {
    if (each === '(') open.push(nouns.has(before[place - 1] ?? ''))
    else if (each === ')') open.pop()
  })
  return open.includes(true)
}
