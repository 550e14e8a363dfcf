/** One parameter of a strategy, or one setting of a training, as its schema tells it. */
export interface Param {
  name: string
  title: string
  description: string
  kind: 'integer' | 'number' | 'boolean' | 'choice' | 'text' | 'names' | 'numbers' | 'json' | 'object'
  choices: string[]
  /** What the choices stand for, in their order. */
  values: readonly unknown[]
  minimum: number | null
  maximum: number | null
  /** What it is when nothing is typed, as text; empty where there is none. */
  fallback: string
  /** Of its number; '' for none. */
  unit: string
  /** What it is shown with; '' where its declaration does not say. */
  group: string
  /** Few change it. */
  advanced: boolean
}

type Schema = Record<string, unknown>

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)
const numberOr = (value: unknown) => (typeof value === 'number' ? value : null)
const wordOr = (value: unknown) => (typeof value === 'string' ? value : '')
const words = (name: string) => name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase())

/** The parameters that a JSON schema of an object describes. */
export function paramsOf(schema: Schema): Param[] {
  const properties = isSchema(schema.properties) ? schema.properties : {}
  const definitions = isSchema(schema.$defs) ? schema.$defs : {}
  return Object.entries(properties).map(([name, value]) => paramOf(name, isSchema(value) ? value : {}, definitions))
}

function paramOf(name: string, property: Schema, definitions: Schema): Param {
  const type = resolved(property, definitions)
  const values: readonly unknown[] = Array.isArray(type.enum) ? type.enum : []
  const choices = values.map(String)
  return {
    name,
    title: typeof property.title === 'string' ? property.title : words(name),
    description: typeof property.description === 'string' ? property.description : '',
    kind: choices.length > 0 ? 'choice' : kindOf(type),
    choices,
    values,
    minimum: numberOr(type.minimum ?? type.exclusiveMinimum),
    maximum: numberOr(type.maximum ?? type.exclusiveMaximum),
    fallback: typedAs(property.default),
    unit: wordOr(property.unit),
    group: wordOr(property.group),
    advanced: property.advanced !== false,
  }
}

/** A parameter that may be null is described by what it is otherwise; a reference by what it points to. */
function resolved(property: Schema, definitions: Schema): Schema {
  const options = Array.isArray(property.anyOf) ? property.anyOf.filter(isSchema).filter(({ type }) => type !== 'null') : []
  const type = options.length === 1 ? { ...property, ...options[0] } : property
  const target = typeof type.$ref === 'string' ? definitions[type.$ref.replace('#/$defs/', '')] : undefined
  return isSchema(target) ? { ...type, ...target } : type
}

function kindOf({ type, items, additionalProperties: values }: Schema): Param['kind'] {
  if (type === 'integer' || type === 'number' || type === 'boolean') return type
  if (type === 'object') return isSchema(values) && values.type === 'number' ? 'numbers' : type
  if (type === 'array' && isSchema(items) && items.type === 'string') return 'names'
  return type === 'string' ? 'text' : 'json'
}

/** As a value is typed: names with commas between, numbers by their names; what would not be read back so stands as JSON. */
export function typedAs(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  const text = Array.isArray(value) ? value.join(', ') : isSchema(value) ? Object.entries(value).map(([name, number]) => `${name}=${String(number)}`).join(', ') : ''
  const back = Array.isArray(value) ? namesIn(text) : numbersIn(text)
  return text !== '' && JSON.stringify(back) === JSON.stringify(value) ? text : isEmpty(value) ? '' : JSON.stringify(value)
}

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** `margin, badge` as names. */
function namesIn(text: string): unknown {
  if (!text.startsWith('[')) return text.split(',').map((name) => name.trim()).filter((name) => name !== '')
  const value = parsed(text)
  return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined
}

/** `rare=3, night=0.5` as numbers by their names; undefined where it can't be read. */
export function numbersIn(text: string): Record<string, number> | undefined {
  const pairs = text.startsWith('{') ? Object.entries((objectIn(text) ?? { '': '' }) as Schema) : text.split(',').map((part) => split(part))
  const read = pairs.map(([name, number]) => [name, typeof number === 'string' && number.trim() !== '' ? Number(number) : number] as const)
  return read.every(([name, number]) => name !== '' && typeof number === 'number' && Number.isFinite(number)) ? (Object.fromEntries(read) as Record<string, number>) : undefined
}

/** `rare=3` as its two sides; a name may hold an equals sign, a number does not. */
function split(part: string): [string, string] {
  const at = part.lastIndexOf('=')
  return [part.slice(0, Math.max(0, at)).trim(), part.slice(at + 1)]
}

/** Its help in a sentence, with its bounds. */
export function helpOf({ description, minimum, maximum, kind, unit }: Param): string {
  const help = description.replaceAll('`', '').replaceAll(/\b(None|null):/g, 'Empty:').replaceAll(/\s+/g, ' ')
  const isNumber = kind === 'integer' || kind === 'number'
  const bounds = !isNumber || (minimum === null && maximum === null) ? '' : `${range(minimum, maximum)}${unit === '' ? '' : ` ${unit}`}.`
  return [help, bounds].filter((part) => part !== '').join(help.endsWith('.') || help === '' ? ' ' : '. ')
}

const shown = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 9 })

function range(low: number | null, high: number | null): string {
  if (high === null) return `At least ${shown(low ?? 0)}`
  return low === null ? `At most ${shown(high)}` : `${shown(low)} to ${shown(high)}`
}

export interface ReadParams {
  params: Record<string, unknown>
  /** By name of the parameter: why what was typed is not one. */
  faults: Record<string, string>
}

/** What was typed, as parameters; what is empty is left to the strategy. */
export function readParams(known: readonly Param[], typed: Record<string, string>): ReadParams {
  const read: ReadParams = { params: {}, faults: {} }
  for (const param of known) {
    const text = (typed[param.name] ?? '').trim()
    if (text === '') continue
    const value = valueOf(param, text)
    if (value === undefined) read.faults[param.name] = fault[param.kind]
    else read.params[param.name] = value
  }
  return read
}

const fault: Record<Param['kind'], string> = {
  integer: 'must be a whole number',
  number: 'must be a number',
  boolean: 'must be yes or no',
  choice: 'must be one of the list',
  text: '',
  names: 'must be names with commas between, such as margin, entropy',
  numbers: 'must be names with numbers, such as rare=3, night=0.5',
  json: 'must be JSON, such as [1, 2]',
  object: 'must be a JSON object, such as {"rare": 3}',
}

function valueOf({ kind, choices, values }: Param, text: string): unknown {
  if (kind === 'text') return text
  if (kind === 'choice') return values[choices.indexOf(text)]
  if (kind === 'boolean') return text === 'true'
  if (kind === 'names') return namesIn(text)
  if (kind === 'numbers') return numbersIn(text)
  if (kind === 'json') return parsed(text)
  if (kind === 'object') return objectIn(text)
  const value = Number(text)
  return Number.isFinite(value) && (kind === 'number' || Number.isInteger(value)) ? value : undefined
}

function objectIn(text: string): unknown {
  const value = parsed(text)
  return isSchema(value) ? value : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
