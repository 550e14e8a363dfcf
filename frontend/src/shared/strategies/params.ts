/** One parameter of a strategy, as its schema tells it. */
export interface Param {
  name: string
  title: string
  description: string
  kind: 'integer' | 'number' | 'boolean' | 'choice' | 'text' | 'json' | 'object'
  choices: string[]
  minimum: number | null
  maximum: number | null
  /** What it is when nothing is typed, as text; empty where there is none. */
  fallback: string
}

type Schema = Record<string, unknown>

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)
const numberOr = (value: unknown) => (typeof value === 'number' ? value : null)
const words = (name: string) => name.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase())

/** The parameters that a JSON schema of an object describes. */
export function paramsOf(schema: Schema): Param[] {
  const properties = isSchema(schema.properties) ? schema.properties : {}
  const definitions = isSchema(schema.$defs) ? schema.$defs : {}
  return Object.entries(properties).map(([name, value]) => paramOf(name, isSchema(value) ? value : {}, definitions))
}

function paramOf(name: string, property: Schema, definitions: Schema): Param {
  const type = resolved(property, definitions)
  const choices = Array.isArray(type.enum) ? type.enum.map(String) : []
  const fallback = property.default
  return {
    name,
    title: typeof property.title === 'string' ? property.title : words(name),
    description: typeof property.description === 'string' ? property.description : '',
    kind: choices.length > 0 ? 'choice' : kindOf(type.type),
    choices,
    minimum: numberOr(type.minimum),
    maximum: numberOr(type.maximum),
    fallback: fallback === undefined || fallback === null ? '' : typeof fallback === 'string' ? fallback : JSON.stringify(fallback),
  }
}

/** A parameter that may be null is described by what it is otherwise; a reference by what it points to. */
function resolved(property: Schema, definitions: Schema): Schema {
  const options = Array.isArray(property.anyOf) ? property.anyOf.filter(isSchema).filter(({ type }) => type !== 'null') : []
  const type = options.length === 1 ? { ...property, ...options[0] } : property
  const target = typeof type.$ref === 'string' ? definitions[type.$ref.replace('#/$defs/', '')] : undefined
  return isSchema(target) ? { ...type, ...target } : type
}

function kindOf(type: unknown): Param['kind'] {
  if (type === 'integer' || type === 'number' || type === 'boolean') return type
  if (type === 'object') return type
  return type === 'string' ? 'text' : 'json'
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
    const value = valueOf(param.kind, text)
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
  json: 'must be JSON, such as ["margin", "entropy"]',
  object: 'must be a JSON object, such as {"rare": 3}',
}

function valueOf(kind: Param['kind'], text: string): unknown {
  if (kind === 'text' || kind === 'choice') return text
  if (kind === 'boolean') return text === 'true'
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
