import { classKeys } from '../../shared/classes/class-key'
import type { ClassExample, Guidelines, SchemaClass } from '../../shared/classes/types'

/** What can be changed in a schema. A class's name is what labels hold, so a saved name stays. */
export type Draft = Guidelines

const palette = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442', '#882255'] as const

/** The colours that stay apart for every common colour vision. */
export const safeColours: readonly string[] = palette

export function draftOf({ classes, guideline }: Guidelines): Draft {
  return { classes, guideline }
}

/** The next key that no class has; archived classes keep theirs. Null when all twenty are given. */
export function freeKey(classes: readonly SchemaClass[]): string | null {
  return classKeys.find((key) => classes.every((each) => each.key !== key)) ?? null
}

/** The colour and dash of a further class: through the palette first, then the palette again with another dash. */
function nextMark(classes: readonly SchemaClass[]): Pick<SchemaClass, 'colour' | 'dash'> {
  const taken = new Set(classes.map(({ colour, dash }) => `${colour.toLowerCase()} ${dash}`))
  for (let dash = 0; dash < 4; dash += 1) {
    const colour = palette.find((each) => !taken.has(`${each} ${dash}`))
    if (colour !== undefined) return { colour, dash }
  }
  return { colour: palette[0], dash: 0 }
}

/** The same classes with their keys, and one more behind them. */
export function withClass(draft: Draft, name: string): Draft {
  const { classes } = draft
  const added: SchemaClass = { name, key: freeKey(classes), ...nextMark(classes), guideline: '', examples: [], archived: false }
  return { ...draft, classes: [...classes, added] }
}

/** Changes one class. A key that another class has is swapped with it, so no key is ever lost or given twice. */
export function withChange(draft: Draft, name: string, change: Partial<SchemaClass>): Draft {
  const before = draft.classes.find((each) => each.name === name)
  const classes = draft.classes.map((each) => {
    if (each.name === name) return { ...each, ...change }
    const loses = change.key !== undefined && change.key !== null && each.key === change.key
    return loses && before ? { ...each, key: before.key } : each
  })
  return { ...draft, classes }
}

export function without(draft: Draft, name: string): Draft {
  return { ...draft, classes: draft.classes.filter((each) => each.name !== name) }
}

/** Why a class cannot have this name; null when it can. */
export function nameFault(draft: Draft, name: string): string | null {
  const wanted = name.trim()
  if (wanted === '') return 'A class needs a name.'
  if (wanted.length > 100) return 'At most 100 characters.'
  const same = draft.classes.find((each) => each.name.toLowerCase() === wanted.toLowerCase())
  return same ? `“${same.name}” exists already${same.archived ? '; take it out of the archive instead' : ''}.` : null
}

const said = { key: 'key', colour: 'colour', dash: 'dash', guideline: 'guideline' } as const

/** What differs, in words: one line for each class and one for the common guideline. */
export function changes(before: Draft, after: Draft): string[] {
  const old = new Map(before.classes.map((each) => [each.name, each]))
  const lines = after.classes.flatMap((each) => {
    const was = old.get(each.name)
    if (!was) return [`${each.name}: added`]
    const parts = classChanges(was, each)
    return parts.length === 0 ? [] : [`${each.name}: ${parts.join(', ')}`]
  })
  const kept = new Set(after.classes.map(({ name }) => name))
  const gone = before.classes.filter(({ name }) => !kept.has(name)).map(({ name }) => `${name}: removed`)
  const common = before.guideline === after.guideline ? [] : ['common guideline changed']
  return [...lines, ...gone, ...common]
}

function classChanges(was: SchemaClass, is: SchemaClass): string[] {
  const fields = (Object.keys(said) as (keyof typeof said)[]).filter((field) => was[field] !== is[field])
  const words = fields.map((field) => (field === 'key' ? `key ${was.key ?? 'none'} → ${is.key ?? 'none'}` : `${said[field]} changed`))
  if (!sameExamples(was.examples, is.examples)) words.push('examples changed')
  if (was.archived !== is.archived) words.push(is.archived ? 'archived' : 'taken out of the archive')
  return words
}

export function sameExamples(a: readonly ClassExample[], b: readonly ClassExample[]): boolean {
  return a.length === b.length && a.every((each, place) => each.key === b[place]?.key && each.note === b[place].note)
}

/** My changes to `base` put on top of `theirs`. Where both changed the same thing, mine stands; nobody's class is lost. */
export function onTopOf(theirs: Draft, base: Draft, mine: Draft): Draft {
  const known = new Map(base.classes.map((each) => [each.name, each]))
  const wanted = new Map(mine.classes.map((each) => [each.name, each]))
  const kept = theirs.classes.filter(({ name }) => !known.has(name) || wanted.has(name))
  let draft: Draft = { classes: kept, guideline: mine.guideline === base.guideline ? theirs.guideline : mine.guideline }
  for (const each of mine.classes) {
    const was = known.get(each.name)
    const isThere = draft.classes.some(({ name }) => name === each.name)
    if (!was && !isThere) draft = withClass(draft, each.name)
    // A class that is new to both of us has its key already: the one that is free over there.
    draft = withChange(draft, each.name, was ? changedFields(was, each) : withoutKey(each))
  }
  return draft
}

function withoutKey({ colour, dash, guideline, examples, archived }: SchemaClass): Partial<SchemaClass> {
  return { colour, dash, guideline, examples, archived }
}

function changedFields(was: SchemaClass, is: SchemaClass): Partial<SchemaClass> {
  const fields = Object.entries(is).filter(([field, value]) =>
    field === 'examples' ? !sameExamples(was.examples, is.examples) : value !== was[field as keyof SchemaClass],
  )
  return Object.fromEntries(fields)
}
