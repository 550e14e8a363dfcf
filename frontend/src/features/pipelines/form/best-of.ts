import type { StrategyFacts } from '../../../shared/api/types'

/** What only a pipeline may choose: it asks a back-test each round. */
const bestOf: StrategyFacts = {
  name: 'best_of',
  summary: 'The strategy that a back-test found best; random where none beats it.',
  needs: [],
  params_schema: {
    properties: {
      strategies: { type: 'array', description: 'Which of them may win, as JSON: ["margin", "badge"].' },
      backtest: { type: 'integer', description: 'The number of the back-test; left empty, the newest over the same data.' },
    },
  },
}

export const besides = [bestOf]
