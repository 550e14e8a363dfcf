import type { StrategyFacts } from '../../../shared/api/types'
import { taskTypes } from '../../../tasktypes'

/** What only a pipeline may choose: it asks a back-test each round. */
export const bestOf: StrategyFacts = {
  name: 'best_of',
  summary: 'The best strategy of a back-test; random if none beats it.',
  needs: [],
  asks_model: false,
  tasks: Object.entries(taskTypes).flatMap(([name, { replays }]) => (replays.length > 0 ? [name] : [])),
  replays: [],
  params_schema: {
    properties: {
      strategies: { type: 'array', items: { type: 'string' }, description: 'The strategies to choose from, with commas between: margin, badge.' },
      backtest: { type: 'integer', description: 'The back-test’s number; leave empty for the newest one on the same data.' },
    },
  },
}
