import type { StrategyFacts } from '../shared/api/types'
import { taskTypeOf } from '.'

type Params = Record<string, object>

/** The parameters that bring the scores of an image's parts into one. */
const bringing = ['reduce', 'top', 'weights'] as const

const wordsFor = {
  classes: { reduce: 'How the scores of an image’s classes become one', top: 'Of how many scores the mean is taken.' },
  boxes: { reduce: 'How the scores of an image’s boxes become one', top: 'Of how many boxes the mean is taken.' },
}
const titles = { reduce: 'Score of an image', top: 'Scores for “top”', weights: 'Weights of classes' }
const weightWords = 'How much the scores of a class count, such as rare=3, night=0.5; 1 for those that you do not name.'

/** The strategies that can mine for a task, with the parameters that mean something for it; all of them before there is a task. */
export function strategiesFor(task: string | undefined, all: readonly StrategyFacts[]): StrategyFacts[] {
  const fitting = all.filter(({ tasks }) => task === undefined || tasks.includes(task))
  const parts = task === undefined ? null : taskTypeOf(task).scoredParts
  return fitting.map((strategy) => ({ ...strategy, params_schema: fitted(strategy.params_schema, parts) }))
}

function fitted(schema: StrategyFacts['params_schema'], parts: 'classes' | 'boxes' | null): StrategyFacts['params_schema'] {
  const properties = schema.properties as Params | undefined
  if (!properties || !('reduce' in properties)) return schema
  const others = Object.fromEntries(Object.entries(properties).filter(([name]) => !(bringing as readonly string[]).includes(name)))
  return { ...schema, properties: parts === null ? others : { ...others, ...told(properties, parts) } }
}

/** As people read them, in the order that they are needed. */
function told(properties: Params, parts: 'classes' | 'boxes'): Params {
  const usual = (properties.reduce as { default?: string | null }).default ?? null
  const reduce = wordsFor[parts].reduce + (usual === null ? ': their mean unless you choose.' : '.')
  const words = { ...wordsFor[parts], reduce, weights: weightWords }
  return Object.fromEntries(bringing.flatMap((name) => (properties[name] ? [[name, { ...properties[name], title: titles[name], description: words[name] }]] : [])))
}
