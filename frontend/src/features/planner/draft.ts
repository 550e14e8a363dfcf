import type { PlanExample, PlanQuestion } from '../../shared/api/types'
import { amount, numberFault } from '../../shared/format/amount'
import type { PlannerSearch } from '../../shared/routes/planner-search'

export type PaceUnit = 'images_per_second' | 'terabytes_per_day'

/** One way to train, as it is typed. */
export interface SetupDraft {
  architecture: string
  machine: string
  pace: string
  unit: PaceUnit
  epochs: string
  machines: string
}

/** What is typed: fields by the API's names, setups, and the example that they began with. */
export interface PlanDraft {
  example: string
  fields: Readonly<Record<string, string>>
  setups: readonly SetupDraft[]
}

export const emptyDraft: PlanDraft = { example: '', fields: {}, setups: [] }
export const emptySetup: SetupDraft = { architecture: '', machine: '', pace: '', unit: 'images_per_second', epochs: '', machines: '1' }

/** An example as somebody would have typed it. */
export function draftOf(example: PlanExample): PlanDraft {
  const fields: Record<string, string> = {}
  for (const [group, value] of Object.entries(example.question)) {
    if (typeof value === 'number') fields[group] = String(value)
    if (value === null || typeof value !== 'object' || Array.isArray(value)) continue
    for (const [name, number] of Object.entries(value)) fields[`${group}.${name}`] = String(number)
  }
  return { example: example.name, fields, setups: (example.question.training ?? []).map(setupOf) }
}

type Setup = NonNullable<PlanQuestion['training']>[number]

function setupOf({ architecture, machine, machines, epochs, images_per_second: images, terabytes_per_day: terabytes }: Setup): SetupDraft {
  const text = (value: number | null | undefined) => (value === null || value === undefined ? '' : String(value))
  const unit = typeof images === 'number' ? 'images_per_second' : 'terabytes_per_day'
  return { architecture: architecture ?? '', machine: machine ?? '', pace: text(images ?? terabytes), unit, epochs: text(epochs), machines: text(machines ?? 1) }
}

/** What an address holds: an example, changed where it says so. */
export function readDraft(search: PlannerSearch, examples: readonly PlanExample[]): PlanDraft {
  const { example: name, training, with: given = [] } = search
  const example = examples.find((one) => one.name === name)
  const base = example ? draftOf(example) : emptyDraft
  const typed = given.map((one) => [one.slice(0, one.indexOf(':')), one.slice(one.indexOf(':') + 1)] as const).filter(([field]) => field !== '')
  const fields = Object.fromEntries([...Object.entries(base.fields), ...typed])
  return { ...base, fields, setups: training === undefined ? base.setups : training.flatMap(readSetup) }
}

function readSetup(text: string): SetupDraft[] {
  try {
    const told: unknown = JSON.parse(text)
    if (!Array.isArray(told)) return []
    const [architecture, machine, pace, unit, epochs, machines] = told.map((part) => (typeof part === 'string' ? part : ''))
    const known = unit === 'terabytes_per_day' ? unit : 'images_per_second'
    return [{ architecture: architecture ?? '', machine: machine ?? '', pace: pace ?? '', unit: known, epochs: epochs ?? '', machines: machines ?? '1' }]
  } catch {
    return []
  }
}

/** The address of a draft: of an unchanged example its name and what is beside it. */
export function searchOf(draft: PlanDraft, examples: readonly PlanExample[]): PlannerSearch {
  const example = unchanged(draft, examples)
  const base = example ? draftOf(example) : emptyDraft
  const typed = Object.entries(draft.fields).filter(([name, text]) => text.trim() !== '' && base.fields[name] !== text)
  const setups = example ? [] : draft.setups.map(({ architecture, machine, pace, unit, epochs, machines }) => JSON.stringify([architecture, machine, pace, unit, epochs, machines]))
  return { ...(example ? { example: example.name } : {}), ...(typed.length > 0 ? { with: typed.map(([name, text]) => `${name}:${text}`) } : {}), ...(setups.length > 0 ? { training: setups } : {}) }
}

/** The example whose data and setups are still as it has them. */
function unchanged(draft: PlanDraft, examples: readonly PlanExample[]): PlanExample | null {
  const example = examples.find(({ name }) => name === draft.example)
  if (!example) return null
  const base = draftOf(example)
  const data = (fields: PlanDraft['fields']) => JSON.stringify(Object.entries(fields).filter(([name, text]) => /^(fleet|data)\./.test(name) && text.trim() !== '').sort())
  return data(base.fields) === data(draft.fields) && JSON.stringify(base.setups) === JSON.stringify(draft.setups) ? example : null
}

/** What is sent. */
export function questionOf(draft: PlanDraft, examples: readonly PlanExample[]): PlanQuestion {
  const example = unchanged(draft, examples)
  const base = example ? draftOf(example) : emptyDraft
  const question: Record<string, unknown> = example ? { example: example.name } : {}
  for (const [name, text] of Object.entries(draft.fields)) {
    if (text.trim() === '' || base.fields[name] === text) continue
    const [group = '', field] = name.split('.')
    if (field === undefined) question[group] = name === 'currency' ? text.trim() : amount(text)
    else question[group] = { ...(question[group] as object | undefined), [field]: amount(text) }
  }
  if (!example && draft.setups.length > 0) question.training = draft.setups.map(sentSetup)
  return question
}

function sentSetup({ architecture, machine, pace, unit, epochs, machines }: SetupDraft): Setup {
  return { architecture: architecture.trim(), machine: machine.trim(), [unit]: amount(pace), epochs: amount(epochs), machines: amount(machines) }
}

/** Where something else than a number is typed. */
export function typedFaults(draft: PlanDraft): Record<string, string | null> {
  const wrong = (text: string | undefined) => numberFault(text ?? '')
  const fields = Object.entries(draft.fields).filter(([name]) => name !== 'currency').map(([name, text]) => [name, wrong(text)] as const)
  const setups = draft.setups.flatMap((setup, at) => [
    [`training.${at}.${setup.unit}`, wrong(setup.pace)] as const,
    [`training.${at}.epochs`, wrong(setup.epochs)] as const,
    [`training.${at}.machines`, wrong(setup.machines)] as const,
  ])
  return Object.fromEntries([...fields, ...setups])
}
