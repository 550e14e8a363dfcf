import type { Architecture } from '../api/types'
import { readConfig } from '../format/read-config'
import { type Param, paramsOf, readParams } from '../strategies/params'

export type Config = Readonly<Record<string, unknown>>

/** A setting of a training: a parameter of its architecture, or a part of its recipe. */
export interface Setting extends Param {
  part: 'params' | 'recipe'
}

/** A run has a seed of its own. */
const elsewhere = new Set(['recipe.seed'])

/** The settings that an architecture declares, in the order in which it does. */
export function settingsOf({ params_schema, recipe_schema }: Pick<Architecture, 'params_schema' | 'recipe_schema'>): Setting[] {
  const of = (part: Setting['part'], schema: Record<string, unknown>) => paramsOf(schema).map((param) => ({ ...param, group: param.group || groups[part], part }))
  return [...of('params', params_schema), ...of('recipe', recipe_schema)].filter(({ part, name }) => !elsewhere.has(`${part}.${name}`))
}

const groups = { params: 'Network', recipe: 'Recipe' }

/** The settings by their groups, in the order of the first of each. */
export function grouped(settings: readonly Setting[]): [group: string, settings: Setting[]][] {
  const groups = new Map<string, Setting[]>()
  for (const setting of settings) groups.set(setting.group, [...(groups.get(setting.group) ?? []), setting])
  return [...groups]
}

const partOf = (config: Config, part: string): Config => (isObject(config[part]) ? config[part] : {})

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What the config says of a setting; undefined where it leaves it to the default. */
export function said(config: Config, { part, name }: Pick<Setting, 'part' | 'name'>): unknown {
  return partOf(config, part)[name]
}

/** The config that says so of a setting; undefined takes it out, and a part that is empty then. */
export function saying(config: Config, { part, name }: Pick<Setting, 'part' | 'name'>, value: unknown): Config {
  const fields = Object.fromEntries(Object.entries({ ...partOf(config, part), [name]: value }).filter(([, each]) => each !== undefined))
  const rest = Object.fromEntries(Object.entries(config).filter(([other]) => other !== part))
  return Object.keys(fields).length === 0 ? rest : { ...config, [part]: fields }
}

/** Another architecture has other parameters. */
export function withoutParams(config: Config): Config {
  return Object.fromEntries(Object.entries(config).filter(([part]) => part !== 'params'))
}

/** The same of a config that is typed; what is no JSON stays. */
export function withoutParamsIn(typed: string): string {
  const { config } = readConfig(typed)
  return config === null || !('params' in config) ? typed : textOf(withoutParams(config))
}

/** What was typed of a setting; undefined for nothing. What is no value stays a text, for the server to refuse. */
export function readAs(setting: Setting, text: string): unknown {
  if (text.trim() === '') return undefined
  return readParams([setting], { [setting.name]: text }).params[setting.name] ?? text.trim()
}

/** As a config is typed; '' where it says nothing. */
export function textOf(config: Config): string {
  return Object.keys(config).length === 0 ? '' : JSON.stringify(config, null, 2)
}

/** What `POST /runs/{id}/clone` merges into a config to make another of it: null removes a field. */
export function changesOf(before: Config, after: Config): Record<string, Record<string, unknown>> {
  const parts = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return Object.fromEntries(
    parts.flatMap((part) => {
      const [old, now] = [partOf(before, part), partOf(after, part)]
      const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]))
      return names.length === 0 ? [] : [[part, Object.fromEntries(names.map((name) => [name, now[name] ?? null]))]]
    }),
  )
}
