import type { StrategyFacts } from '../shared/api/types'
import { taskTypeOf } from '.'

/** The parameter that brings the scores of an image's classes into one. */
const reduce = 'reduce'
const words = 'How the scores of an image’s classes become one: their mean unless you choose, the highest or their sum.'

/** The strategies that can mine for a task, with the parameters that mean something for it; all of them before there is a task. */
export function strategiesFor(task: string | undefined, all: readonly StrategyFacts[]): StrategyFacts[] {
  const fitting = all.filter(({ tasks }) => task === undefined || tasks.includes(task))
  const byClass = task !== undefined && taskTypeOf(task).scoresByClass
  return fitting.map((strategy) => ({ ...strategy, params_schema: fitted(strategy.params_schema, byClass) }))
}

function fitted(schema: StrategyFacts['params_schema'], byClass: boolean): StrategyFacts['params_schema'] {
  const properties = schema.properties as Record<string, object> | undefined
  if (!properties || !(reduce in properties)) return schema
  const { [reduce]: reducing, ...others } = properties
  const told = { ...reducing, title: 'Score of an image', description: words }
  return { ...schema, properties: byClass ? { ...others, [reduce]: told } : others }
}
